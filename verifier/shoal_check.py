"""Check what a published file promises, by plain counting. This script shares no code with Shoal.

    python shoal_check.py FILE --certificate C.json [--public-key K.pub] [--persons P.txt]
    python shoal_check.py FILE --model km --k 5 --m 2 [--format csv --sets COLUMN --item-delimiter "|" ..]

It needs Python 3.9 or later. Only the check of a signature needs a package: cryptography.
Exit code 0: all of it holds. 1: the guarantee, a hash or the signature does not. 2: it cannot be checked."""

import argparse
import base64
import csv
import gzip
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, combinations, groupby, islice
from pathlib import Path
from typing import Any

PAYLOAD, LARGEST = "application/vnd.in-toto+json", 4 << 20  # what is signed, and bytes of a certificate
KNOWN = ("https://in-toto.io/Statement/v1", "urn:shoal:certificate:1")
JSONL = {"format", "no_sets", "sets", "item_delimiter", "id_column", "item_column", "keep_ids"}
CSV = JSONL | {"delimiter", "header", "escaped_formulas"}
READING = {"fimi": {"format"}, "basket": {"format", "delimiter"}, "csv": CSV, "tsv": CSV, "jsonl": JSONL}
LM = {"l", "m", "sensitive", "sensitive_column"}
MODELS = {"km": {"k", "m"}, "k": {"k"}, "k-km": {"k", "m"}, "lm": LM, "k-lm": {"k", *LM}, "transactional-k": {"k"}}
ESCAPE = r"(?a)\A'(?='*[=+@\t\r-])(?![+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z)"  # the quote before a formula


class Stop(Exception): ...  # the exit code, and why


def need(condition: Any, message: str, code: int = 2) -> None:
    if not condition:
        raise Stop(code, message)


# ---- The certificate: who promises what about which file
JSON = json.JSONDecoder(
    object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else need(False, "a field is twice"),
    parse_constant=lambda name: need(False, f"{name} is not JSON"),
)


def get(document: Any, name: str, kind: type) -> Any:
    need(type(document) is dict and type(document.get(name)) is kind, f"the certificate has no valid {name!r}")
    return document[name]


def open_certificate(path: Path, key: Any) -> Any:
    """Return the statement of a certificate. Check the signature, if a key is given."""
    need(path.is_file() and path.stat().st_size <= LARGEST, f"{path} is no file, or larger than {LARGEST} bytes")
    statement = envelope = JSON.decode(path.read_bytes().decode())
    signed = type(envelope) is dict and "payload" in envelope
    if signed:
        signatures = get(envelope, "signatures", list)
        need(envelope.get("payloadType") == PAYLOAD and len(signatures) == 1, "the envelope is not one of version 1")
        encoded = [get(envelope, "payload", str), get(signatures[0], "sig", str)]
        body, signature = (base64.b64decode(text, validate=True) for text in encoded)
        need([base64.b64encode(x).decode() for x in (body, signature)] == encoded, "the base64 is not canonical")
        signer = key and check_signature(key, body, signature)
        statement = JSON.decode(body.decode())
    need((get(statement, "_type", str), get(statement, "predicateType", str)) == KNOWN, "the version is not known")
    named = get(statement, "predicate", dict).get("signer")
    need(signed or not (key or named), "the certificate is not signed", 1)
    need(not key or signer == named, f"the certificate names the signer {named!r}, but the key is another", 1)
    print(
        "signature:", f"valid, by {named}" if key else "NOT CHECKED (no --public-key)" if signed else "none (UNSIGNED)"
    )
    return statement


def check_signature(key: Path, body: bytes, signature: bytes) -> str:
    """Return the hash of the key, if it made this signature of the payload. Otherwise this is an InvalidSignature."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    public: Any = load_pem_public_key(key.read_bytes())  # a key that is not Ed25519 cannot be used in this way
    public.verify(signature, b"DSSEv1 %d %s %d %s" % (len(PAYLOAD), PAYLOAD.encode(), len(body), body))
    return "sha256:" + hashlib.sha256(public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def check_files(subjects: list[Any], data: Any, published: Path, ours: list[Path]) -> list[bytes]:
    """Check the hash of every file that the certificate names. Return the contents of those with the records."""
    files, folder = get(data, "files", list), published.is_dir()
    hashes = {get(one, "name", str): get(get(one, "digest", dict), "sha256", str) for one in subjects}
    need(not any(re.search(r"[/\\]|^\.*$", name) for name in hashes), "a name in the certificate is no file name")
    once = len(hashes) == len(subjects) and len(set(files)) == len(files) > 0
    need(once and {*files, data.get("codebook")} <= {*hashes, None}, "the certificate lacks a hash, or has it twice")
    need(folder or len(files) == 1, f"{published} is a file, but the certificate is about a folder of several")
    places = {name: published / name if folder else published for name in files}  # other files are next to FILE
    there = {name: places.get(name, published.parent / name) for name in hashes}
    need(all(path.is_file() for path in there.values()), "a file that the certificate names is missing, or is no file")
    contents = {name: path.read_bytes() for name, path in there.items()}
    for name, content in contents.items():
        need(hashlib.sha256(content).hexdigest() == hashes[name], f"{name} is not the file of the certificate", 1)
    found = {path for path in published.rglob("*") if path.is_file() and path.name[0] not in "._"}
    others = found - {*places.values(), *ours} if folder else ()
    need(not others, f"the certificate does not name {[*map(str, others)]}, which would be read, too", 1)
    print("SHA-256: that of the certificate, for", ", ".join(map(repr, hashes)))
    return [contents[name] for name in files]


# ---- The file: sets of labels, and other columns
def text_of(data: bytes) -> str:
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    need(data and b"\0" not in data, "the file is empty or no text (Parquet, Feather and zstd cannot be checked)")
    return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n") + "\n"


def fields_of(text: str, mark: str) -> list[list[str]]:
    """Split lines at a delimiter. Fields in quotes may hold delimiters and line ends, and quotes that are doubled."""
    need(mark and not set(mark) & set('"\r\n'), f"{mark!r} cannot be a delimiter")
    lines = text[:-1].split("\n")
    if '"' not in text:
        return [line.split(mark) for line in lines]
    return [row or [""] for row in csv.reader((f"{line}\n" for line in lines), delimiter=mark, strict=True)]


def rows_of(text: str, reading: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the columns of each row. Formats without columns have one, called items."""
    kind, lines = reading["format"], text[:-1].split("\n")
    if kind == "fimi":
        return [{"items": re.findall(r"[^ \t\v\f]+", line)} for line in lines]
    if kind == "basket":
        return [{"items": row} for row in fields_of(text, reading.get("delimiter", ","))]
    if kind == "jsonl":
        found, arrays = [*map(JSON.decode, lines)], not {"sets", "no_sets", "id_column"} & set(reading)
        need({*map(type, found)} == {list if arrays else dict}, "lines must be objects (arrays, if no column is named)")
        every = dict.fromkeys(() if arrays else chain.from_iterable(found))
        return [{"items": row} if arrays else {name: row.get(name) for name in every} for row in found]
    rows = fields_of(text, reading.get("delimiter", "\t" if kind == "tsv" else ","))
    rows = [[re.sub(ESCAPE, "", cell) for cell in row] for row in rows] if reading.get("escaped_formulas") else rows
    header = rows.pop(0) if reading.get("header", True) else [""] * len(rows[0])
    names = [name if name.strip() else f"(column {at})" for at, name in enumerate(header, 1)]
    need(len(set(names)) == len(names) and {*map(len, rows)} <= {len(names)}, "lines have different columns")
    return [dict(zip(names, row)) for row in rows]


def texts(values: Any, mark: Any = None) -> list[str]:
    values = values.split(mark) if mark is not None else values
    need(type(values) is list and {*map(type, values)} <= {str, int}, "items and ids must be texts or whole numbers")
    return [*map(str, values)]


def joined(rows: list[dict[str, Any]], ids: list[str], item: str) -> list[dict[str, Any]]:
    """Join the rows of each record, in the order of the ids. Leave out columns that vary within a record."""
    parts = defaultdict(list)
    for row in rows:
        parts[tuple(texts([row[name] for name in ids]))].append(row)
    need(all(part.strip() for key in parts for part in key), "a row has no id")
    number = [all(re.fullmatch("0|-?[1-9][0-9]{0,17}", part) for part in column) for column in zip(*parts)]
    order = sorted(parts, key=lambda key: [int(part) if is_one else part for part, is_one in zip(key, number)])
    kept = [name for name in rows[0] if all(len({json.dumps(row[name]) for row in own}) == 1 for own in parts.values())]
    return [{**{name: parts[key][0][name] for name in kept}, item: [row[item] for row in parts[key]]} for key in order]


def read(contents: list[bytes], reading: dict[str, Any]) -> tuple[list[set[str]], list[dict[str, Any]]]:
    """Return the labels and the other columns of each record."""
    kind, ids, columns = str(reading.get("format")), reading.get("id_column", []), reading.get("sets", "items")
    need(kind in READING and set(reading) <= READING[kind], f"these options of reading are not known: {reading}")
    flags = {"no_sets", "keep_ids", "header", "escaped_formulas"} & set(reading)
    need(all(type(reading[name]) is bool for name in flags), f"{flags} must be true or false")
    shapes = [name for name in ("no_sets", "sets", "id_column") if reading.get(name)]
    need(len(shapes) == 1 or not (shapes or READING[kind] is CSV), "give one of the options sets, id_column, no_sets")
    rows = [row for content in contents for row in rows_of(text_of(content), reading)]
    need(rows, "the file holds no records")
    if ids:
        ids, columns = [ids] if type(ids) is str else ids, reading["item_column"]
        rows = joined(rows, ids, columns)
    columns = [] if reading.get("no_sets") else [columns] if type(columns) is str else columns
    marks = reading.get("item_delimiter")
    marks = marks if type(marks) is list else [marks] * len(columns)
    need(len(marks) == len(columns) and "" not in marks, "item_delimiter does not fit sets")
    need(not any(a.startswith(f"{b}.") for a in columns for b in columns), "the names of columns are ambiguous")
    sets = [(f"{name}." if len(columns) > 1 else "", name, mark) for name, mark in zip(columns, marks)]  # item x: A.x
    labels = [{tag + x for tag, name, mark in sets for x in texts(row[name], mark) if x.strip()} for row in rows]
    hidden = {*columns} if reading.get("keep_ids") else {*columns, *ids}
    return labels, [{name: value for name, value in row.items() if name not in hidden} for row in rows]


# ---- The guarantee: counting. A record is (whose it is, labels that may be known, sensitive values)
def counts(records: list[Any], size: int) -> Iterator[tuple[Any, Any, int, int]]:
    """Yield sets of `size` labels, values with them (None: any), how many persons have both, how many have the set."""
    groups = defaultdict(list)  # by the first label, so that few sets are in memory at the same time
    for person, free, values in records:
        for at, label in enumerate(labels := sorted(free) if size else [""]):
            groups[label].append((person, labels[at + 1 :], values))
    for first, group in groups.items():
        found: Counter[Any] = Counter()
        for _, own in groupby(group, key=lambda part: part[0]):  # the records of a person follow each other
            sets = ((rest, values) for _, labels, values in own for rest in combinations(labels, max(0, size - 1)))
            found.update({(rest, value) for rest, values in sets for value in (None, *values)})
        for (rest, value), number in found.items():
            yield (first, *rest)[:size], value, number, found[rest, None]


def violations(records: list[Any], k: int, l: int, m: Any) -> Iterator[str]:
    """Yield sets that fewer than k persons have, and values that more than 1 in l of those who have a set have."""
    longest = max(len(labels) for _, labels, _ in records)
    m = longest if m == "all" else min(m, longest)
    views = (records, [(at, *record[1:]) for at, record in enumerate(records)]) if l else (records,)
    found = (x for view in views for size in range(0 if l else 1, m + 1) for x in counts(view, size))
    if m == longest and not l:  # then it is enough to find all labels of each record in k of them
        whole = {labels for _, labels, _ in records if labels}
        found = ((x, None, len({person for person, labels, _ in records if labels >= x}), 0) for x in whole)
    for labels, value, number, fit in found:
        if value is None and number < k:
            yield f"{[*labels]} fits {number}, fewer than {k}"
        elif value is not None and number * l > fit:
            yield f"{[*labels]} fits {fit}, and {number} of them have {value!r}: more than 1 in {l}"


def check(model: str, options: Any, known: list[str], labels: list[set[str]], rows: Any, persons: Any) -> Iterator[str]:
    """Yield how a guarantee is violated. Records with equal known columns (transactional-k: labels) are a class."""
    k, l, m = options.get("k", 1), options.get("l", 0), options.get("m", 0)
    numbers = {"k", "l", "m"} & MODELS.get(model, set())
    need(model in MODELS and numbers <= set(options) <= MODELS[model], f"not known: {model!r} with {options}")
    numbers -= {"m"} if m == "all" and not l else set()
    need(all(type(options[x]) is int and options[x] > (x != "m") for x in numbers), "k, l: 2 or more; m: 1 or more")
    need(bool(known) == (model in ("k", "k-km", "k-lm")), "quasi-identifiers must be named for k, k-km and k-lm only")
    declared, columns = options.get("sensitive", []), options.get("sensitive_column", [])
    need(type(declared) is type(columns) is list and (declared or columns or not l), "say what is sensitive, in lists")
    narrow = tuple(f"{name}=" for name in columns if any(label.startswith(f"{name}=") for label in declared))
    items = {label for label in declared if not label.startswith(narrow)}
    kinds = [{type(row[name]) for row in rows} - {type(None)} for name in (*known, *columns)]
    need(all(len(kind) < 2 and kind <= {str, int, float, bool} for kind in kinds), "a column holds values of two kinds")
    classes, seen = defaultdict(list), set(chain.from_iterable(labels))
    for person, own, row in zip(persons, labels, rows):
        given = [(f"{name}=", str(row[name]).strip()) for name in columns if row[name] is not None]
        values = {a + b for a, b in given if b and (a not in narrow or a + b in declared)}
        names = {label: [x for x in (re.sub(r"(?s)(?<=.)\*[0-9]+\Z", "", label), label) if x in items] for label in own}
        values.update(name[0] for name in names.values() if name)
        seen.update(values)
        free = frozenset(label for label in own if not names[label])
        key = free if model == "transactional-k" else tuple(row[name] for name in known)
        classes[key].append((person, free, values))
    need(seen.issuperset(declared), f"these sensitive labels are not in the file: {sorted(set(declared) - seen)}")
    for key, records in classes.items():
        records.sort(key=lambda record: record[0])
        if model not in ("km", "lm") and len({person for person, _, _ in records}) < k:
            yield f"{[*key]} fits fewer than {k}"
        yield from (f"{text}, among those with {[*key]}" if known else text for text in violations(records, k, l, m))


def run(given: dict[str, Any]) -> str:
    """Check what is asked for. Return what holds."""
    paths = {name: Path(given.pop(name)) for name in ("file", "certificate", "public_key", "persons") if name in given}
    if "certificate" in paths:
        need(not given, "the certificate says how to check: leave the other options out")
        statement = open_certificate(paths["certificate"], paths.get("public_key"))
        model, data, done = (get(statement["predicate"], name, dict) for name in ("model", "data", "check"))
        need(get(done, "holds", bool), "the certificate says that the guarantee does not hold", 1)
        contents = check_files(get(statement, "subject", list), data, paths["file"], [*paths.values()])
        reading, known = get(data, "reading", dict), get(data, "quasi_identifiers", list)
        model, options, records = get(model, "name", str), get(model, "options", dict), get(data, "records", int)
    else:
        need("public_key" not in paths, "--public-key is for a certificate")
        model, known, contents = given.pop("model"), given.pop("quasi_identifier", []), [paths["file"].read_bytes()]
        options = {x: int(v) if x in "klm" and v.isdigit() else v for x, v in given.items() if x in MODELS["k-lm"]}
        reading, records = {name: value for name, value in given.items() if name not in options}, None
    labels, rows = read(contents, reading)
    need(records in (None, len(rows)), f"the certificate says {records} records, but there are {len(rows)}", 1)
    persons: Any = range(len(rows))
    if "persons" in paths:
        need(model != "transactional-k", f"{model} counts records, not persons")
        persons = text_of(paths["persons"].read_bytes())[:-1].split("\n")
        need(len(persons) == len(rows) and all(map(str.strip, persons)), f"wanted {len(rows)} persons, one a record")
    found = [*islice(check(model, options, known, labels, rows, persons), 5)]
    need(not found, f"{model} with {options} does not hold: {'; '.join(found)}", 1)
    by = "persons" if "persons" in paths else "records (persons were not checked)"
    return f"{model} with {options}, counting {len({*persons})} {by}"


def main(words: Any = None) -> int:
    parser = argparse.ArgumentParser(usage=__doc__, argument_default=argparse.SUPPRESS, allow_abbrev=False)
    for name in ("file", "--certificate", "--public-key", "--persons", "--model", "--k", "--l", "--m"):
        parser.add_argument(name)
    for name in ("format", "delimiter", "item-delimiter", "item-column"):
        parser.add_argument(f"--{name}")
    for name in ("sets", "id-column", "sensitive", "sensitive-column", "quasi-identifier"):
        parser.add_argument(f"--{name}", action="append")
    for name in ("no-sets", "escaped-formulas"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--no-header", action="store_false", dest="header")
    try:
        code, why = 0, run(vars(parser.parse_args(words)))
    except (Exception, KeyboardInterrupt) as error:
        kind, wrong = type(error).__name__, (1, "the signature was not made by this key for this certificate")
        code, why = error.args if isinstance(error, Stop) else wrong if "Sig" in kind else (2, f"{kind}: {error}")
    print({0: "ALL OF IT HOLDS:", 1: "NOT AS PROMISED:", 2: "CANNOT BE CHECKED:"}[code], why)
    return int(code)


if __name__ == "__main__":
    csv.field_size_limit(1 << 30)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main())
