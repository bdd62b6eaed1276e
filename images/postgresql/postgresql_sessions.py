"""What sessions of the members' own programs begin with, whatever users set for theirs.

Programs connect with `options()`. Patroni's connections, and those of its pg_rewind, have options of Patroni's own: for them
the same values are noted for the superuser and for the role of replication in the database `postgres`, which nobody else uses
(postgresql-roles).
"""

SETTINGS = {
    "statement_timeout": "0",
    "lock_timeout": "0",
    "idle_session_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "default_transaction_read_only": "off",
    # a replica refuses every query of a session that begins with serializable
    "default_transaction_isolation": "read committed",
    "default_transaction_deferrable": "off",
    "search_path": "pg_catalog",
    "standard_conforming_strings": "on",
    "client_min_messages": "notice",
}


def settings(version):
    """Those that a server of this version knows."""
    return {**SETTINGS, **({"transaction_timeout": "0"} if version >= 170000 else {})}


def options(**more):
    """As options of a connection to a server of any version, after which `more` counts."""
    return " ".join(f"-c {name}={escaped(value)}" for name, value in {**SETTINGS, **more}.items())


def escaped(value):
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def note(cursor, role, database=None):
    """From now on sessions of the role begin with them, in this database or in all."""
    from psycopg2 import sql

    target = sql.SQL("ALTER ROLE {}").format(sql.Identifier(role))
    if database is not None:
        target += sql.SQL(" IN DATABASE {}").format(sql.Identifier(database))
    for name, value in settings(cursor.connection.server_version).items():
        cursor.execute(target + sql.SQL(" SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
