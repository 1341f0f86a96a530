"""thin path trial"""
import time
import pulumi_gcp as gcp
def test_pool(engine):
    def program():
        c = gcp.container.Cluster("c", name="c", location="us-west4", initial_node_count=1, remove_default_node_pool=True, deletion_protection=False)
        gcp.container.NodePool("np", name="np", cluster=c.id, node_config={"machine_type":"ct5lp-hightpu-4t"}, node_count=1, node_locations=["us-west4-a"])
    t=time.time()
    s = engine.stack("dev"); print("create", time.time()-t)
    for what in (lambda: s.preview(program), lambda: s.up(program), lambda: s.preview(program), lambda: s.refresh(), lambda: s.preview(program), lambda: s.destroy()):
        t=time.time()
        r = what(); print(r.ops(), r.error, r.messages, [x for x in r if x.diff], round(time.time()-t,2))
    assert not r.error
