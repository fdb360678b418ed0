import { DataQueryError, type DataSourceDefinition, setting } from '@tributary/connector-kit'
import type { FileFormat } from './read-records.ts'

/** Settings for the format of a file. */
export const fileSettings = {
  format: setting.choice({
    label: 'Format',
    help: 'By name: `.csv`, `.tsv`, and `.txt` are CSV; `.ndjson` and `.jsonl` are NDJSON; `.parquet` is Parquet.',
    default: 'auto',
    choices: [
      { value: 'auto', label: 'By file name' },
      { value: 'csv', label: 'CSV' },
      { value: 'ndjson', label: 'NDJSON' },
      { value: 'parquet', label: 'Parquet' },
    ],
  }),
  delimiter: setting.choice({
    label: 'Delimiter',
    help: 'What separates values in CSV.',
    default: 'auto',
    choices: [
      { value: 'auto', label: 'Detect' },
      { value: ',', label: 'Comma' },
      { value: ';', label: 'Semicolon' },
      { value: '\t', label: 'Tab' },
      { value: '|', label: 'Pipe' },
    ],
  }),
  header: setting.toggle({
    label: 'First row has column names',
    help: 'Of CSV. If off, columns are called column_1, column_2, and so on.',
    default: true,
  }),
}

/** Values of `fileSettings`. */
export type FileSettings = {
  readonly format: 'auto' | 'csv' | 'ndjson' | 'parquet'
  readonly delimiter: 'auto' | ',' | ';' | '\t' | '|'
  readonly header: boolean
}

const byName: readonly (readonly [RegExp, FileFormat['kind']])[] = [
  [/\.(?:csv|tsv|txt)$/i, 'csv'],
  [/\.(?:ndjson|jsonl)$/i, 'ndjson'],
  [/\.(?:parquet|parq)$/i, 'parquet'],
]

/** Returns the format of a file by the settings or its name. Throws DataQueryError if neither determines the format. */
export const formatOf = ({ format, delimiter, header }: FileSettings, name: string): FileFormat => {
  const kind = format === 'auto' ? byName.find(([end]) => end.test(name))?.[1] : format
  if (kind === undefined)
    throw new DataQueryError('The name of the file does not tell its format. Choose the format in the settings')
  return kind === 'csv' ? { kind, delimiter: delimiter === 'auto' ? '' : delimiter, header } : { kind }
}

/** Examples of each format, for the guide. */
export const formatSteps: DataSourceDefinition['docs']['steps'] = [
  {
    title: 'CSV',
    text: 'UTF-8, with a header row. A value with a delimiter, a quote, or a line break is in quotes, and a quote in it is written twice. A value that is missing is null; `""` is an empty text. Types are found by all values of a column.',
    code: 'id,email,plan\n1,ada@example.com,pro\n2,,"basic, monthly"',
    language: 'csv',
  },
  {
    title: 'NDJSON',
    text: 'UTF-8, one JSON object per line. Its members are the columns. Nested objects and lists stay JSON.',
    code: '{"id": 1, "email": "ada@example.com", "tags": ["new"]}\n{"id": 2, "email": null}',
    language: 'json',
  },
  {
    title: 'Parquet',
    text: 'Lists, maps, and structs become JSON. Integers, decimals, and timestamps keep every digit. All common compressions are read; encrypted files are not. Write pages of up to 64 MB.',
  },
  {
    title: 'Broken files',
    text: 'A file with a broken row is refused, with the line number of a text file, so no row is lost without a word.',
  },
]
