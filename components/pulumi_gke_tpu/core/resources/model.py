"""A resource as another tool wrote it, with the place of it in the file of that tool."""

import enum
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import field

from pulumi_gke_tpu.core.frozen import frozen
from pulumi_gke_tpu.core.resources.pools import CheckedResource
from pulumi_gke_tpu.core.resources.values import UNKNOWN, NotKnownError, Values
from pulumi_gke_tpu.core.text.findings import EntryText, Path, Position
from pulumi_gke_tpu.core.text.formats.property_path import parse_path
from pulumi_gke_tpu.core.text.patterns import lazy_pattern

_PROJECT = lazy_pattern(r"projects/([^/]+)/")
RESERVATION = "gcp:compute/reservation:Reservation"
OPERATION, RESIZE_REQUEST, INSTANCE_ERROR = "operation", "resize request", "instance error"
"""What an API says about something that happened; no resources, and no plan describes them."""


class SourceFormat(enum.Enum):
    """What wrote a file. The value is its name in messages."""

    TERRAFORM_PLAN = "Terraform plan"
    TERRAFORM_STATE = "Terraform state"
    PULUMI_STATE = "Pulumi state"
    PULUMI_PREVIEW = "Pulumi preview"
    PULUMI_PROGRAM = "Pulumi program"
    TERRAFORM_CONFIGURATION = "Terraform configuration"
    API = "answer of the Google Cloud API"
    CONFIG_CONNECTOR = "Config Connector object"
    CROSSPLANE = "Crossplane object"
    CLUSTER_API = "Cluster API object"
    GCLOUD_SCRIPT = "script with commands of gcloud"

    @property
    def is_written(self) -> bool:
        """Whether people write such files: those of two environments have resources with the same names."""
        return self in (
            SourceFormat.TERRAFORM_CONFIGURATION,
            SourceFormat.PULUMI_PROGRAM,
            SourceFormat.CONFIG_CONNECTOR,
            SourceFormat.CROSSPLANE,
            SourceFormat.CLUSTER_API,
        )

    @property
    def is_terraform(self) -> bool:
        """Whether properties are spelled as Terraform spells them."""
        return self in (
            SourceFormat.TERRAFORM_PLAN,
            SourceFormat.TERRAFORM_STATE,
            SourceFormat.TERRAFORM_CONFIGURATION,
        )


@frozen(eq=False)
class Origin:
    """Where a resource comes from: the file, and the address in the spelling of the tool that wrote it.

    ``address`` is ``module.tpu.google_container_node_pool.pool["a"]``, a URN, or the full name of a resource of Google
    Cloud. ``locate`` finds a path in the resource, or the innermost value on the way to it that exists.
    """

    source: SourceFormat
    file: str
    address: str
    locate: Callable[[Path], Position]

    @property
    def scope(self) -> str:
        """The file, or the folder, in which an address belongs to one resource."""
        of_folder = self.source is SourceFormat.TERRAFORM_CONFIGURATION
        return posixpath.dirname(self.file.replace("\\", "/")) if of_folder else self.file


@frozen
class Action:
    """What a Terraform plan does with a resource.

    ``kinds`` are Terraform's own words: create, read, update, delete, no-op, forget. A replacement has delete and
    create in the order in which they run. ``replace_paths`` are the properties that cause it, in Pulumi's spelling.
    ``importing`` is the ID of a resource that the plan imports.
    """

    kinds: tuple[str, ...]
    reason: str = ""
    replace_paths: tuple[str, ...] = ()
    importing: str = ""
    previous_address: str = ""


@frozen(eq=False)
class Spelling:
    """How a source spells the properties of a resource type. Paths of properties are in Pulumi's spelling."""

    written: Callable[[str], str] = str
    """The path as a person reads it: ``node_config.machine_type``."""
    place: Callable[[str], Path] = parse_path
    """Where the value is in the document, below the resource."""
    words: Callable[[str], str] = str
    """A sentence in which properties are named."""
    entry: Callable[[str, object], str] = lambda path, value: EntryText(path.rpartition(".")[2], value).plain
    """A property and its value, as they are written: ``machine_type = "ct6e-standard-4t"``. The path can be its end;
    the result is empty if the source needs the whole path."""


@frozen(eq=False)
class RawResource:
    """A resource of a type that the components register, or a reservation, with properties in Pulumi's spelling.

    ``values`` are the properties that the source has: those that are wanted in a plan, those that exist otherwise.
    ``before`` are those that exist before a plan, None if nothing does. ``options`` are those of the program; unknown
    in sources that do not contain them; ``written`` are then the properties that the program certainly sets.
    """

    type: str
    name: str
    values: Values
    origin: Origin
    project: str = ""
    before: Values | None = None
    options: Values = Values(UNKNOWN)
    written: frozenset[str] = frozenset()
    action: Action | None = None
    refers_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Property -> addresses of the resources that it is made of."""
    with_pools: bool = False
    """Whether it is a cluster that an answer shows with its node pools, which are resources of their own."""
    spelling: Spelling = field(default_factory=Spelling)
    google_provider: str = ""
    """``google`` or ``google-beta``, which creates it in Terraform; empty if that is not known."""

    @property
    def existing(self) -> Values | None:
        """The properties that exist; None for a resource that a plan creates."""
        if self.before is not None:
            return self.before
        return self.values if self.action is None else None

    @property
    def effective_project(self) -> str:
        """The project; that in the ID, or in the reference to the cluster, if no property states it."""
        if self.project:
            return self.project
        for path in ("id", "cluster"):
            try:
                match = _PROJECT.match(self.values.text(path))
            except NotKnownError:
                continue
            if match:
                return match[1]
        return ""

    def position_of(self, property: str, inside: Path = ()) -> Position:
        """The position of a property, or of what is inside it."""
        return self.origin.locate((*self.spelling.place(property), *inside))

    @property
    def asked(self) -> CheckedResource:
        """The resource as rules read it."""
        return CheckedResource(self.type, self.name, self.values, self.options, self.written)


@frozen
class PlanOutcome:
    """What a plan of Terraform contains beside its changes. Addresses are those of Terraform."""

    errored: bool = False
    """Whether Terraform stopped with an error, so that changes are missing."""
    complete: bool = True
    """Whether nothing is left to plan after the apply."""
    drifted: tuple[str, ...] = ()
    """Resources that were changed outside of Terraform; those with a kind that is read."""
    deferred: Mapping[str, str] = field(default_factory=dict)
    """Resources whose changes are left to a later plan -> the reason in Terraform's words."""
    actions: tuple[str, ...] = ()
    """Actions that the apply invokes, such as ``action.local_command.notify``."""


@frozen
class Unread:
    """A file, or a part of one, that was not read, and why."""

    file: str
    reason: str
    part: str = ""
    """The part in the spelling of the source, such as ``module.gke``; empty for the whole file."""
    line: int = 0
    """The line of the part; 0 if it is not known."""


@frozen
class Rejected:
    """What the tool itself refuses of a command, so that it makes nothing."""

    message: str
    position: Position
    allowed: tuple[str, ...] = ()
    fix: str = ""


@frozen(eq=False)
class Resources:
    """What was read: the resources in order, and what was not."""

    found: tuple[RawResource, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Type in the spelling of the source -> number of resources that nothing is known about."""
    unread: tuple[Unread, ...] = ()
    """The parts whose content is not data, so that it is not known what they create."""
    rejected: tuple[Rejected, ...] = ()
    """Commands of a script that gcloud refuses."""
    ends_early: Rejected | None = None
    """Why a script is read only up to some place."""
    alternatives: tuple[RawResource, ...] = ()
    """What some of the resources are in each of several cases, of which the file does not say which it is."""
    objects: bytes = b""
    """The Kubernetes objects in a script, each on its lines."""
    plan: PlanOutcome | None = None
    """None of all other files."""
