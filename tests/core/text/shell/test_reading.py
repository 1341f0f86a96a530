"""Scripts are followed as a shell would run them, as far as their text tells, and nothing in them is executed."""

import pytest

from pulumi_gke_tpu.core.text.shell import read_script


def words(script: str) -> list[list[str]]:
    """The words of each command."""
    return [[word.text for word in command.words] for command in read_script(script).commands]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("a 'b c' \"d e\" f\\ g", [["a", "b c", "d e", "f g"]]),
        ("a \\\n  b # c\nd", [["a", "b"], ["d"]]),
        ("a \\\r\n  b\r\nc", [["a", "b"], ["c"]]),
        ("a; b && c || d | e & f", [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]),
        ("X=1\na $X '$X' \"$X\" ${X}2", [["a", "1", "$X", "1", "12"]]),
        ("export X=1 Y='2 3'\na $X $Y \"$Y\"", [["a", "1", "2", "3", "2 3"]]),
        ("a ${X:-7}; : ${Y:=8}; a $Y", [["a", "7"], ["a", "8"]]),
        ("X=1; X=$X$X; a $X", [["a", "11"]]),
        ("X='a b'; Y=$X; c $Y", [["c", "a", "b"]]),
        ("X=1 a $Y > out 2>&1 < in", [["a", "…"]]),
        ("a <<EOF\nb $(c) 'd\nEOF\ne", [["c"], ["a"], ["e"]]),
        ("a <<-'END' b\n\tc\n\tEND\nd", [["a", "b"], ["d"]]),
        ("if ! a; then b; fi", [["a"], ["b"]]),
        ("$ a b", [["a", "b"]]),
        ('a "b\\"c" \'d\'"e"f', [["a", 'b"c', "def"]]),
        ("a ''", [["a", ""]]),
        ("X=; a $X b", [["a", "b"]]),
        (
            "X=us-east5-b; a ${X%-*} ${X##*-} ${X/east/west} ${X:0:2} ${X^^} ${#X}",
            [["a", "us-east5", "b", "us-west5-b", "us", "US-EAST5-B", "10"]],
        ),
        ("a {0..2} x{a,b}y '{c,d}'", [["a", "0", "1", "2", "xay", "xby", "{c,d}"]]),
        ("for i in {1..2}; do a $i; done", [["a", "1"], ["a", "2"]]),
        ("for i in $(seq 0 1); do a $i; done", [["a", "0"], ["a", "1"]]),
        ("for i in `seq 2`; do a $i; done", [["a", "1"], ["a", "2"]]),
        ("for ((i = 0; i < 2; i++)); do a $i; done", [["a", "0"], ["a", "1"]]),
        ("for z in *.yaml; do a $z; done", [["a", "…"]]),
        ("X=(b 'c d'); X+=(e); a \"${X[@]}\" ${#X[@]} ${X[1]}", [["a", "b", "c d", "e", "3", "c", "d"]]),
        ("declare -A M=([b]=1 [c]=2); a ${M[c]}", [["a", "2"]]),
        ('X=(); a "${X[@]}" "y${X[@]}"; Y=(""); a "${Y[@]}" ', [["a", "y"], ["a", ""]]),
        ('X=(b c); if y; then X+=(d); fi; X+=(e); a "${X[@]}"', [["y"], ["a", "b", "c", "…", "e"]]),
        ('X=(b); if y; then X[0]=c; fi; a "${X[0]}"', [["y"], ["a", "…"]]),
        ("a ${X:+b} c; X=; a ${X:+b} ${X+c}; X=1; a ${X:+b}", [["a", "c"], ["a", "c"], ["a", "b"]]),
        ("X=1; [ $X = 1 ] && a; [ $X = 2 ] && b; [[ $X -gt 0 ]] && c", [["a"], ["c"]]),
        ('if [ -z "$X" ]; then X=1; fi; a $X', [["a", "1"]]),
        ("if a; then X=1; else X=2; fi; b $X", [["a"], ["b", "…"]]),
        ("if a; then X=1; fi; b $X", [["a"], ["b", "1"]]),
        ("X=b; case $X in a) c;; b|d) e;; *) f;; esac", [["e"]]),
        ("case $Y in a) c;; (b) d;; esac", [["c"], ["d"]]),
        ("f() { a $1 \"$@\"; }; f b 'c d'", [["a", "b", "b", "c d"]]),
        ("function f { local x=$1; a $x; }; x=2; f 1; a $x", [["a", "1"], ["a", "2"]]),
        ("f() { a $1; }", [["a", "…"]]),
        ("f() { f; a; }; f", [["a"]] * 20),
        ('run() { echo + "$@"; "$@"; }; run a b', [["echo", "+", "a", "b"], ["a", "b"]]),
        ("Z=1; while [ $# -gt 0 ]; do case $1 in -z) Z=$2; shift;; esac; done; a $Z", [["a", "1"]]),
        ("i=0; while b; do a $i; i=$((i + 1)); done", [["b"], ["a", "…"]]),
        ("read -r X; a $X", [["a", "…"]]),
        ("a $((2 * (3 + 1) / 4))", [["a", "2"]]),
        ("X='a \"b c\"'; eval $X; bash -c 'd e'", [["a", "b c"], ["d", "e"]]),
        ("bash <<EOF\na\nEOF", [["a"]]),
        ("(a; b) | c && { d; }", [["a"], ["b"], ["c"], ["d"]]),
        ("a \\\n  # why\n  -b", [["a", "-b"]]),
        ('a <<< "b"; c', [["a"], ["c"]]),
        ("[[ $x =~ ^(a|b)$ ]] && c", [["c"]]),
        ("fi; done; }; ) esac a", [["a"]]),
        ('a $(b "$(c)")', [["c"], ["b", "…"], ["a", "…"]]),
    ],
)
def test_the_words_are_those_of_a_shell(script: str, expected: list[list[str]]) -> None:
    assert words(script) == expected


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("a 'b", "this quote is not closed"),
        ('a "b', "this quote is not closed"),
        ("a `b", "this backtick is not closed"),
        ("a $(b", "this parenthesis is not closed"),
        ("a ${b", "this brace is not closed"),
        ("a <<EOF\nb", "this here-document does not end: a line EOF is missing"),
    ],
)
def test_what_is_not_closed_is_an_error_with_its_place(script: str, message: str) -> None:
    problem = read_script(f"x\n{script}").problem
    assert problem is not None
    assert problem.message == message
    assert problem.line in (2, 3)


def test_documents_keep_their_lines_and_unknown_variables() -> None:
    script = "N=w\ncat <<EOF | a\nname: $N-${RUN}\nEOF\nb <<'EOF'\n$N\nEOF\n"
    assert [(item.line, item.text) for item in read_script(script).documents] == [(3, "name: w-$(RUN)\n"), (6, "$N\n")]


def test_words_of_arrays_and_arguments_keep_their_places() -> None:
    script = 'X=(\n  --b\n)\nf() { a "$@"; }\nf "${X[@]}" --c'
    (command,) = read_script(script).commands
    assert [(word.text, word.line, word.column) for word in command.words] == [
        ("a", 4, 7),
        ("--b", 2, 3),
        ("--c", 5, 13),
    ]


@pytest.mark.parametrize(
    "script", ["for i in {1..900}; do for j in {1..900}; do for k in {1..900}; do a; done; done; done"]
)
def test_a_script_is_followed_for_a_limited_number_of_steps(script: str) -> None:
    problem = read_script(script).problem
    assert problem is not None
    assert problem.message == "the script runs more commands than gke-tpu follows"
