-- The roles by which programs outside of the member connect, so that none of them needs the superuser: a template of postgresql-roles, which
-- fills in what is in braces. It changes nothing where all is as it is to be.

-- What pg_rewind reads, and what tells how far back the primary's WAL reaches. This role may copy all files in any case.
GRANT CONNECT ON DATABASE postgres TO replicator;
GRANT EXECUTE ON FUNCTION
  pg_catalog.pg_ls_dir(text, boolean, boolean),
  pg_catalog.pg_stat_file(text, boolean),
  pg_catalog.pg_read_binary_file(text),
  pg_catalog.pg_read_binary_file(text, bigint, bigint, boolean),
  pg_catalog.pg_ls_waldir()
  TO replicator;

-- The init Job's. It may make databases and, by the function below, the two roles of the application and of the exporter.
DO $do$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'database_init') THEN
    CREATE ROLE database_init;
  END IF;
END
$do$;
ALTER ROLE database_init LOGIN CREATEDB NOCREATEROLE NOSUPERUSER NOREPLICATION PASSWORD {verifier};
ALTER ROLE database_init SET log_statement = 'none';
ALTER ROLE database_init SET log_min_duration_statement = -1;
ALTER ROLE database_init SET log_min_error_statement = 'panic';
ALTER ROLE database_init SET pg_stat_statements.track = 'none';
-- Its sessions do without the libraries that users set for theirs. An empty list cannot be noted for a role, so it sets that by itself.
GRANT SET ON PARAMETER session_preload_libraries TO database_init;
GRANT CONNECT ON DATABASE postgres TO database_init;
CREATE SCHEMA IF NOT EXISTS database_operator;
GRANT USAGE ON SCHEMA database_operator TO database_init;

CREATE OR REPLACE FUNCTION database_operator.ensure_role(name text, verifier text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $function$
DECLARE
  is_there boolean := EXISTS (SELECT FROM pg_roles WHERE rolname = name);
  setting record;
BEGIN
  IF name NOT IN ('app', 'monitor') THEN
    RAISE EXCEPTION 'only the roles app and monitor are made here, not %', name;
  END IF;
  IF verifier NOT LIKE 'SCRAM-SHA-256$%' THEN
    RAISE EXCEPTION 'the password of % must come as a SCRAM verifier', name;
  END IF;
  EXECUTE format('%s ROLE %I LOGIN PASSWORD %L', CASE WHEN is_there THEN 'ALTER' ELSE 'CREATE' END, name, verifier);
  IF name = 'app' THEN
    -- so that it may own the database that the caller makes
    GRANT app TO database_init;
  ELSE
    GRANT pg_monitor TO monitor;
    -- so that the exporter gets in where CONNECT is taken from PUBLIC
    IF EXISTS (SELECT FROM pg_database WHERE datname = 'app') THEN
      GRANT CONNECT ON DATABASE app TO monitor;
    END IF;
    FOR setting IN SELECT * FROM json_each_text({own_sessions}) LOOP
      EXECUTE format('ALTER ROLE monitor SET %I = %L', setting.key, setting.value);
    END LOOP;
  END IF;
  RETURN CASE WHEN is_there THEN 'password set' ELSE 'made' END;
END
$function$;
REVOKE ALL ON FUNCTION database_operator.ensure_role(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION database_operator.ensure_role(text, text) TO database_init;
