"""Lay out ``--help``: options in groups, common ones first. ``--help-all`` shows all of them.

An option names its group where it is declared: ``option("--seed", group=SEARCH, ...)``. A rare option is shown by
``--help-all`` only. A command needs nothing but ``cls=GroupedCommand``.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from shoal.cli import console
from shoal.cli.formatter import HelpContext
from shoal.errors import did_you_mean

DATA, HIERARCHY, GUARANTEE, MEASURES, SEARCH = "Data", "Hierarchy", "Guarantee", "Measures", "Search"
RUNS, OUTPUT, LIMITS, DOOR, GENERAL = "Runs", "Output", "Limits", "Other computers", "General"
ORDER = (DATA, HIERARCHY, GUARANTEE, OUTPUT, MEASURES, SEARCH, RUNS, LIMITS, DOOR, GENERAL)
WIDEST = 30  # characters of an option and its value that stand before its help; longer ones stand above it

Command = TypeVar("Command", bound=Callable[..., Any])
Row = tuple[str, str]
_ALL = f"{__name__}.all"


class GroupedOption(click.Option):
    """An option that belongs to a group of the help."""

    def __init__(self, *words: Any, group: str = GENERAL, rare: bool = False, **more: Any) -> None:
        more.setdefault("show_default", True)
        more["help"] = sentence(more.get("help") or "")
        super().__init__(*words, **more)
        self.group, self.rare = group, rare
        if self.metavar is None and not self.is_flag:
            self.metavar = _METAVARS.get(self.type.name)

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Show only the default. The help text or the error message names the range."""
        extra = {name: value for name, value in super().get_help_extra(ctx).items() if name != "range"}
        if isinstance(self.show_default, str):  # click would put it in brackets
            extra["default"] = self.show_default
        return extra


_METAVARS = {"integer": "N", "integer range": "N", "float": "X", "float range": "X", "path": "FILE"}


def option(*flags: str, group: str, **more: Any) -> Callable[[Command], Command]:
    """Declare an option of a command, as ``click.option`` does, with its group."""
    return click.option(*flags, cls=GroupedOption, group=group, **more)


def sentence(text: str) -> str:
    """Return a help text with a capital letter and a full stop.

    >>> sentence("groups of siblings"), sentence("CSV: undo that."), sentence("Who?"), sentence("")
    ('Groups of siblings.', 'CSV: undo that.', 'Who?', '')
    """
    ended = text if not text or text[-1] in ".?!" else f"{text}."
    return ended[:1].upper() + ended[1:]


class GroupedCommand(click.Command):
    """A command with grouped help. It has ``--quiet``, and ``--help-all`` if there are rare options."""

    context_class = HelpContext

    def __init__(self, *words: Any, **more: Any) -> None:
        super().__init__(*words, **more)
        self.params.append(quiet_option())
        if any(is_rare(param) for param in self.params):
            all_options = GroupedOption(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show all options, including rarely used ones.",
            )
            self.params.append(all_options)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Suggest another option only if it is really similar."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            known = [name for param in self.get_params(ctx) for name in param.opts if name.startswith("--")]
            name = error.option_name
            near = did_you_mean(name.lstrip("-"), [one.lstrip("-") for one in known]).replace(" '", " '--")
            message = f"No such option '{name}'{near}"
            if (settled := getattr(self.callback, "settled", None)) and (why := settled(name)):
                message = f"{message}, because {why}"
            raise click.NoSuchOption(name, message, ctx=error.ctx) from None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups, each under its name."""
        params = [param for param in self.get_params(ctx) if ctx.meta.get(_ALL) or not is_rare(param)]
        groups: dict[str, list[Row]] = {}
        for param in params:
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                groups.setdefault(getattr(param, "group", GENERAL), []).append(record)
        write_sections(formatter, {name: groups[name] for name in sorted(groups, key=_place)})
        rare = sum(map(is_rare, self.get_params(ctx)))
        if rare and not ctx.meta.get(_ALL):
            formatter.write_paragraph()
            formatter.write_text(f"{rare} rarely used options are not listed here: see {ctx.command_path} --help-all.")


def is_rare(param: click.Parameter) -> bool:
    """Return whether only ``--help-all`` shows an option."""
    return getattr(param, "rare", False)


def write_sections(formatter: click.HelpFormatter, sections: Mapping[str, Sequence[Row]]) -> None:
    """Write lists under their titles. The first column has the same width in all of them."""
    terms = [term for rows in sections.values() for term, _ in rows]
    widest = min(WIDEST, formatter.width // 3)
    width = max((len(term) for term in terms if len(term) <= widest), default=widest)
    for title, rows in sections.items():
        with formatter.section(title):
            formatter.write_dl([(term.ljust(width), text) for term, text in rows], col_max=width)


def _place(group: str) -> float:
    """Return the position of a group. Options of a model follow the guarantee, those of an algorithm the search."""
    if group in ORDER:
        return ORDER.index(group)
    follows = {"Options of the model": GUARANTEE, "Options of the algorithm": SEARCH}
    after = (ORDER.index(other) + 0.5 for start, other in follows.items() if group.startswith(start))
    return next(after, len(ORDER))


def quiet_option() -> click.Option:
    """``--quiet``, for a command or a group of commands."""
    return GroupedOption(
        ["-q", "--quiet"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=lambda _ctx, _param, value: console.be_quiet() if value else None,
        help="Print only errors and the results that you ask for.",
    )


def _show_all(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Print the help with all options."""
    if value and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def json_option(command: Command) -> Command:
    """``--json``, for commands that print results."""
    shown = option("--json", "as_json", group=GENERAL, is_flag=True, help="Print the result as JSON, for programs.")
    return shown(command)


def workers_option(help: str) -> Callable[[Command], Command]:
    """``--workers``."""
    more = f"{help}. 0 means one for each processor."
    return option("--workers", default=0, group=GENERAL, type=click.IntRange(min=0), help=more)


def engine_options(command: Command) -> Command:
    """``--workers``, ``--memory`` and ``--work-dir``, for commands that read data. All their work uses these."""

    @functools.wraps(command)
    def run(*args: Any, memory: str | None, work_dir: Path | None, workers: int, **given: Any) -> Any:
        from shoal.engines import Engine
        from shoal.progress import sized_engine

        with sized_engine(Engine(workers=workers), memory, work_dir).in_use():
            return command(*args, workers=workers, **given)

    folder = option(
        "--work-dir",
        type=click.Path(path_type=Path),
        metavar="FOLDER",
        group=GENERAL,
        rare=True,
        help="The folder for data that do not fit into memory. Default: the system's temporary folder.",
    )
    size = option(
        "--memory",
        metavar="SIZE",
        group=GENERAL,
        rare=True,
        help="The memory for data, such as 2G. Default: half of what the machine has. It changes no result.",
    )
    return workers_option("Threads")(size(folder(cast(Command, run))))


def cluster_options(command: Command) -> Command:
    """``--engine``, ``--cluster`` and ``--insecure-cluster``, for commands that can run on a cluster.

    The command gets them as ``cluster``: None if it runs on this machine alone.
    """

    @functools.wraps(command)
    def run(*args: Any, engine: str, cluster: str | None, insecure_cluster: bool, workers: int, **given: Any) -> Any:
        from shoal.errors import OptionError

        if engine == "local":
            for flag, value in (("--cluster", cluster), ("--insecure-cluster", insecure_cluster)):
                if value:
                    raise OptionError(f"{flag} is for a cluster: pass --engine dask too, or leave it out.")
            return command(*args, cluster=None, workers=workers, **given)
        if insecure_cluster and cluster is None:
            raise OptionError("--insecure-cluster is for a cluster that is named by --cluster: leave it out.")
        if workers and cluster is not None:
            raise OptionError("--workers is for a cluster on this machine, but --cluster names another: leave it out.")
        from shoal.engines.cluster import Cluster, check_address, require_dask

        require_dask()
        if cluster is not None:
            check_address(cluster, insecure=insecure_cluster)
        return command(*args, cluster=Cluster(cluster, insecure_cluster, workers), workers=workers, **given)

    where = option(
        "--engine",
        type=click.Choice(("local", "dask")),
        default="local",
        group=GENERAL,
        rare=True,
        help="Where the work runs: on this machine, or on a Dask cluster, with the same result.",
    )
    address = option(
        "--cluster",
        metavar="ADDRESS",
        group=GENERAL,
        rare=True,
        help="The scheduler, such as tls://scheduler:8786. Default: a cluster of --workers processes on this machine.",
    )
    insecure = option(
        "--insecure-cluster",
        is_flag=True,
        group=GENERAL,
        rare=True,
        help="Also use a cluster on other machines without TLS. Raw data then cross the network in plain text.",
    )
    return where(address(insecure(cast(Command, run))))


def one_line(names: Iterable[str]) -> str:
    """Join names for a sentence.

    >>> one_line(["km"]), one_line(["km", "lm", "k"])
    ('km', 'km, lm and k')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
