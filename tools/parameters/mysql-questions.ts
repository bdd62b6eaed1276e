// What a MySQL server is asked about its parameters: a shell script for a container of its image.

/** Numbers that are tried as values of an enumeration. */
const maxValues = 24;

/** Stands between the answers. */
export const separator = "==== next answer ====";
const sql = "mysql --no-defaults --user=root --socket=/tmp/p/sock --batch --skip-column-names --force";

/** A server of its own for the questions; its answers come in parts, one after the other. */
export const script = `
  exec 2>&1
  rm -rf /tmp/p && mkdir -p /tmp/p && cd /tmp/p
  mysqld --no-defaults --initialize-insecure --datadir=/tmp/p/data >init.log 2>&1 || { cat init.log; exit 1; }
  plugins='--plugin-load-add=group_replication.so;mysql_clone.so'
  mysqld --no-defaults --datadir=/tmp/p/data --socket=/tmp/p/sock --skip-networking --mysqlx=OFF \\
    --secure-file-priv=NULL "$plugins" >server.log 2>&1 &
  for try in $(seq 100); do ${sql} --execute='DO 0' >/dev/null 2>&1 && break; sleep 0.5; done
  metadata=performance_schema.variables_metadata
  ${sql} --execute="SELECT variable_name, variable_scope, data_type, min_value, max_value FROM $metadata ORDER BY 1"
  echo '${separator}'
  # the options of its command line, in dashes
  mysqld --no-defaults --datadir=/tmp/p/data "$plugins" --verbose --help 2>/dev/null | sed '1,/^Variables (/d'
  echo '${separator}'
  ${sql} --execute="SELECT CONCAT('SET GLOBAL ', variable_name, ' = @@GLOBAL.', variable_name, ';') FROM $metadata
    WHERE variable_scope <> 'SESSION_ONLY'" >same.sql
  ${sql} <same.sql
  echo '${separator}'
  for value in $(seq 0 ${maxValues}); do
    ${sql} --execute="SELECT CONCAT('SET GLOBAL ', variable_name, ' = $value; SELECT \\"', variable_name, '\\", $value, @@GLOBAL.',
      variable_name, ';') FROM $metadata WHERE data_type = 'Enumeration' AND variable_scope <> 'SESSION_ONLY'"
  done >values.sql
  ${sql} <values.sql
  kill $!; wait; rm -rf /tmp/p
`;
