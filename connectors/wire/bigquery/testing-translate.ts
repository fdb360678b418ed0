/** The parts of a statement: texts, quoted names, comments, the ends of statements, and everything else. */
const part = /('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(`(?:[^`\\]|\\.)*`)|(#[^\n]*|--[^\n]*)|(;)|([^'"`#;-]+|-)/gsu

const unescaped = (text: string): string =>
  text.slice(1, -1).replace(/\\(.)/gs, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter)

/** Names of types and functions that DuckDB calls otherwise. `bq_` are macros of the stand-in. */
const words: readonly [RegExp, string][] = [
  [/\bTIMESTAMP\b/g, 'TIMESTAMPTZ'],
  [/\bBIGNUMERIC\b/g, 'DECIMAL(38, 10)'],
  [/\bNUMERIC\b(?!\s*\()/g, 'DECIMAL(38, 9)'],
  [/\bINT64\b/g, 'BIGINT'],
  [/\bFLOAT64\b/g, 'DOUBLE'],
  [/\bBYTES\b/g, 'BLOB'],
  [/\bDATETIME\b/g, 'TIMESTAMP'],
  [/\bSAFE_CAST\b/g, 'TRY_CAST'],
  [/\bSAFE\.PARSE_JSON\b/g, 'bq_parse_json'],
  [/,\s*wide_number_mode =>\s*$/g, ', '],
  [/\b(JSON_VALUE|JSON_QUERY|JSON_QUERY_ARRAY|JSON_REMOVE|FORMAT_TIMESTAMP|TO_JSON_STRING)\b/g, 'bq_$1'],
]

/** Returns the statements in a text, each in the words of DuckDB and without comments. */
const statementsIn = (sql: string): string[] => {
  const statements = ['']
  const add = (text: string): void => void statements.push(`${statements.pop() ?? ''}${text}`)
  for (const [, text, name, comment, end, rest = ''] of sql.matchAll(part)) {
    if (end !== undefined) statements.push('')
    else if (text !== undefined) add(`'${unescaped(text).replaceAll("'", "''")}'`)
    else if (name !== undefined) add(`"${unescaped(name).replaceAll('"', '""')}"`)
    else if (comment === undefined) add(words.reduce((all, [pattern, word]) => all.replace(pattern, word), rest))
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}

const informationSchema = /"([^"]+)"\."([^"]+)"\.INFORMATION_SCHEMA\.COLUMNS/
/** The view of a dataset's columns, with the names of types in GoogleSQL. */
const columnsView = (
  project: string,
  dataset: string,
): string => `(SELECT table_name, column_name, ordinal_position, CASE
  WHEN data_type = 'VARCHAR' THEN 'STRING' WHEN data_type = 'BIGINT' THEN 'INT64' WHEN data_type = 'DOUBLE' THEN 'FLOAT64'
  WHEN data_type = 'BOOLEAN' THEN 'BOOL' WHEN data_type = 'TIMESTAMP' THEN 'DATETIME' WHEN data_type = 'DATE' THEN 'DATE'
  WHEN data_type = 'TIMESTAMP WITH TIME ZONE' THEN 'TIMESTAMP' WHEN data_type = 'DECIMAL(38,9)' THEN 'NUMERIC'
  WHEN data_type = 'DECIMAL(38,10)' THEN 'BIGNUMERIC' ELSE data_type END AS data_type
  FROM information_schema.columns WHERE table_catalog = '${project}' AND table_schema = '${dataset}')`

/** DuckDB changes one thing of a table at a time, and has no partitions. */
const adapted = (statement: string): string[] => {
  const [, table = '', changes = ''] = /^(ALTER TABLE \S+) ((?:ADD|DROP|RENAME) COLUMN .*)$/s.exec(statement) ?? []
  if (table !== '') return changes.split(/, (?=(?:ADD|DROP|RENAME) COLUMN )/).map((change) => `${table} ${change}`)
  return [
    statement
      .replace(/(?<=\)) (?:PARTITION BY DATE\("[^"]+"\)|CLUSTER BY \S+)$/, '')
      .replace(/\bFROM UNNEST\((bq_JSON_QUERY_ARRAY\(@\w+\))\) AS (\w+)/, 'FROM (SELECT unnest($1) AS $2)')
      .replace(informationSchema, (_, project: string, dataset: string) => columnsView(project, dataset)),
  ]
}

/**
 * Translates statements of GoogleSQL, of the kind that the connectors send, to DuckDB: quoted names, texts with escapes,
 * comments, and names of types and functions. A project is an attached database. `count` is the number of statements.
 */
export const toDuckDb = (sql: string): { statements: string[]; count: number } => {
  const given = statementsIn(sql)
  return { statements: given.flatMap(adapted), count: given.length }
}

/**
 * Returns the kind of a statement as BigQuery names it (JobStatistics2.statementType), by its first words; `count` is
 * the number of statements in the text.
 */
export const kindOf = (sql: string, count: number): string => {
  if (count > 1) return 'SCRIPT'
  const plain = sql
    .replace(/(?:#|--)[^\n]*/g, ' ')
    .split('*/')
    .map((text) => text.split('/*')[0] ?? '')
    .join(' ')
  const [first = '', second = ''] = plain.toUpperCase().match(/[A-Z_]+|\(/g) ?? []
  if (first === '(' || first === 'WITH' || first === 'SELECT') return 'SELECT'
  if (first === 'CREATE' && /\bAS\s+(?:\(|SELECT|WITH)/i.test(plain)) return 'CREATE_TABLE_AS_SELECT'
  if (['CREATE', 'DROP', 'ALTER', 'TRUNCATE', 'EXPORT', 'LOAD', 'GRANT'].includes(first)) return `${first}_${second}`
  return first
}

/** The macros that stand for functions of GoogleSQL. */
export const macros = `
create macro bq_json_value(x, p) as case when json_type(x, p) in ('OBJECT', 'ARRAY', 'NULL') then null else json_extract_string(x, p) end;
create macro bq_json_query(x, p) as case when json_type(x, p) = 'NULL' then null else cast(json_extract(x, p) as varchar) end;
create macro bq_json_query_array(x) as cast(from_json(cast(x as json), '["JSON"]') as varchar[]);
create macro bq_parse_json(x, mode) as try_cast(x as json);
create macro bq_json_remove(x, p) as json_merge_patch(x, json_object(regexp_extract(p, '^\\$\\."(.*)"$', 1), null));
create macro bq_format_timestamp(f, x) as strftime(x, '%Y-%m-%d %H:%M:%S.%f');
create macro bq_to_json_string(x) as cast(to_json(x) as varchar);`
