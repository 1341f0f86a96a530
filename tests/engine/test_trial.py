import runpy, time, pathlib, pytest
ROOT=pathlib.Path("/work/main")
@pytest.mark.parametrize("name", ["dev","prod","ironwood"])
def test_s(engine, name):
    program=lambda: runpy.run_path(str(ROOT/"stacks"/"__main__.py")) and None
    s = engine.stack(name)
    for what in ("preview","up","preview","refresh","preview","destroy"):
        t=time.time()
        f=getattr(s,what)
        r=f(program) if what in("preview","up") else f()
        print(name, what, round(time.time()-t,2), r.ops(), r.error[:3000], r.messages, [x for x in r if x.diff])
    print([r.what+" "+r.resource for r in engine.cloud.requests])
