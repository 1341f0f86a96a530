"""The script that fills the folder of a snapshot, and the role that may run it. It only reads."""

import shlex
from collections.abc import Iterable, Iterator, Sequence

from pulumi_gke_tpu.core.text.findings import printable_path
from pulumi_gke_tpu.features.status.requests import ERRORS, Request, permissions_of

FORMAT = 1
"""The version of the folder."""
_HEAD = """\
#!/bin/bash
# Reads what `gke-tpu status` needs about {plan}, and writes it into the folder of this script.
# It only reads: gcloud describe and list, kubectl get. Run it with your own credentials, or with the role in role.yaml.
# Never read: Secrets, ConfigMaps, environment variables of Pods, metadata of nodes, keys and certificates of clusters.
set -u
cd "$(dirname "$0")" || exit 2
umask 077
KUBECONFIG=$(mktemp) || exit 2
export KUBECONFIG CLOUDSDK_CORE_DISABLE_PROMPTS=1
trap 'rm -f "$KUBECONFIG"' EXIT
ulimit -f 102400 # no answer of more than 100 MB
limit=$(command -v timeout || command -v gtimeout || true)
failed=0

# answer FILE COMMAND...: the answer of a command goes to FILE, its error to FILE.err.
answer() {{
  local file=$1
  shift
  rm -f "$file" "$file.err" "$file.part"
  if ${{limit:+"$limit" 120}} "$@" >"$file.part" 2>"$file.err" </dev/null; then
    mv "$file.part" "$file"
    rm -f "$file.err"
  else
    [ -s "$file.err" ] || echo "no answer within two minutes" >"$file.err"
    rm -f "$file.part"
    failed=$((failed + 1))
    echo "not read: $file" >&2
  fi
}}

printf '{{"format": {version}, "taken": "%s"}}\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >snapshot.json
"""
_TAIL = """
[ "$failed" -eq 0 ] || echo "$failed answers are missing; gke-tpu status says which ones matter" >&2
"""
_GROUPS = """
# The errors of the instances of each group, at most 500 groups.
gcloud container node-pools list {place} --format='value(instanceGroupUrls)' --quiet 2>/dev/null </dev/null |
  tr ';' '\\n' | head -n 500 | while IFS=/ read -r -a url; do
  [ "${{#url[@]}}" -ge 4 ] || continue
  group=${{url[${{#url[@]}} - 1]}}
  zone=${{url[${{#url[@]}} - 3]}}
  answer {prefix}"$group.json" {command}
done
"""


def snapshot_files(plan: str, requests: Sequence[Request]) -> dict[str, str]:
    """The files of a new folder by name."""
    return {"read.sh": _script(plan, requests), "role.yaml": "".join(_role(requests))}


def _script(plan: str, requests: Iterable[Request]) -> str:
    lines = [_HEAD.format(plan=printable_path(plan).replace("\n", " "), version=FORMAT)]
    connected = None
    for request in requests:
        if request.command[0] == "kubectl" and request.cluster is not connected:
            assert request.cluster is not None
            connected = request.cluster
            place = [connected.name, f"--location={connected.location}", f"--project={connected.project}", "--quiet"]
            words = ["gcloud", "container", "clusters", "get-credentials", *place]
            file = shlex.quote(f"credentials-{connected.key}.txt")
            lines.append(f': >"$KUBECONFIG"\nanswer {file} {_quoted(words)}\n')
        if request.name == ERRORS:
            lines.append(_groups(request))
        else:
            lines.append(f"answer {shlex.quote(request.file)} {_quoted(request.command)}\n")
    return "".join((*lines, _TAIL))


def _groups(request: Request) -> str:
    """The loop over the instance groups of a cluster."""
    assert request.cluster is not None
    cluster = request.cluster
    place = [f"--cluster={cluster.name}", f"--location={cluster.location}", f"--project={cluster.project}"]
    words = {"{group}": '"$group"', "--zone={zone}": '--zone="$zone"', "--project={project}": _quoted(place[2:])}
    command = " ".join(words.get(word) or shlex.quote(word) for word in request.command)
    prefix = shlex.quote(f"{ERRORS}-{cluster.key}.")
    return _GROUPS.format(place=_quoted(place), prefix=prefix, command=command)


def _quoted(words: Iterable[str]) -> str:
    return " ".join(map(shlex.quote, words))


def _role(requests: Iterable[Request]) -> Iterator[str]:
    yield "# gcloud iam roles create gkeTpuSnapshot --project=PROJECT --file=role.yaml\n"
    yield "title: gke-tpu snapshot\ndescription: Reads what gke-tpu status needs, and nothing else.\nstage: GA\n"
    yield "includedPermissions:\n"
    yield from (f"  - {permission}\n" for permission in permissions_of(requests))
