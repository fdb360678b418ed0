import { describe, expect, test } from 'vitest'
import { statementOf as bigqueryStatement } from '../connectors/data-sources/bigquery/statements.ts'
import { statementOf as clickhouseStatement } from '../connectors/data-sources/clickhouse/statements.ts'
import { refuseReachingOut } from '../connectors/data-sources/databricks/allowed.ts'
import { statementOf as mysqlStatement } from '../connectors/data-sources/mysql/statements.ts'
import { statementOf as snowflakeStatement } from '../connectors/data-sources/snowflake/statements.ts'
import { fitTo as mysqlValue } from '../connectors/destinations/mysql/values.ts'
import { compileStatement } from '../connectors/destinations/postgresql/statement.ts'
import { fitTo as postgresqlValue } from '../connectors/destinations/postgresql/values.ts'
import { certificatesOf } from '../connectors/wire/access/certificates.ts'
import { queryError as bigqueryError, errorOfProto } from '../connectors/wire/bigquery/failures.ts'
import { exceptionIn, queryError } from '../connectors/wire/clickhouse/failures.ts'
import { plainWords } from '../connectors/wire/databricks/failures.ts'
import { createAnswerReader } from '../connectors/wire/databricks/result-rows.ts'
import { googleNormalization } from '../connectors/wire/normalization/google.ts'
import { metaNormalization } from '../connectors/wire/normalization/meta.ts'
import { statementOf as postgresqlStatement } from '../connectors/wire/postgresql/read-statements.ts'
import { errorOf } from '../connectors/wire/s3/failures.ts'
import { pageOf } from '../connectors/wire/s3/list-page.ts'
import { accountOf } from '../connectors/wire/snowflake/account.ts'
import { SnowflakeError, queryError as snowflakeError } from '../connectors/wire/snowflake/failures.ts'
import { privateKeyOf } from '../connectors/wire/snowflake/private-key.ts'
import { createResultReader } from '../connectors/wire/snowflake/result-reader.ts'
import { snakeCase } from '../connectors/wire/warehouse/names.ts'
import { shortName } from '../packages/api-kit/src/mail/layout.ts'
import { coerce } from '../packages/connector-kit/src/mapping/coerce.ts'
import { withoutStatementEnd } from '../packages/connector-kit/src/statement-end.ts'
import { fallbackPaths } from '../packages/connector-kit/src/templates/fallback-template.ts'
import { imageUpload } from '../packages/contract/src/accounts/account-rules.ts'
import { resourceNames } from '../packages/contract/src/api/method.ts'
import { compileFilter } from '../packages/contract/src/rules/conditions.ts'
import { emailOf, phoneOf } from '../packages/contract/src/rules/contacts.ts'
import { maskSample } from '../packages/control/src/deliveries/samples.ts'
import { compactJson, losesDigits } from '../packages/kernel/src/exact-json.ts'
import { storableJson } from '../packages/pipeline/src/rows/json-text.ts'
import { unusable } from '../packages/profiles/src/identifiers.ts'
import { parseEngineError } from '../packages/storage/src/event-store/chdb/engine-error.ts'
import { withoutPlace } from '../packages/storage/src/event-store/chdb/error-place.ts'
import { paramLiteral } from '../packages/storage/src/event-store/chdb/literals.ts'
import { parseInsert, slotOf } from '../packages/storage/src/event-store/chdb/request.ts'
import { substituteParams } from '../packages/storage/src/event-store/chdb/substitute.ts'

const length = 60_000
const pump = (text: string): string => text.repeat(Math.ceil(length / text.length))

/** Returns the processor time of reading a text, in ms. A rejected text also counts, because it was read. */
const timeOf = (read: (text: string) => unknown, text: string): number => {
  const before = process.threadCpuUsage()
  try {
    read(text)
  } catch {
    // Only the time counts, so an error is ignored.
  }
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

type Reader = (text: string) => unknown
const numberIs = (text: string): boolean =>
  compileFilter({
    match: 'all',
    conditions: [{ path: 'properties.total', operator: 'greater_than', value: '1' }],
  } as never)({
    properties: { total: text },
  } as never) as unknown as boolean

const readers: Readonly<Record<string, Reader>> = {
  'the content of a picture': (content) => imageUpload.safeParse({ content }),
  'a number field of a mapping': (text) => coerce(text, 'number'),
  'a number of a condition': numberIs,
  'an identifier of a person': unusable,
  'a query of a model in PostgreSQL': (sql) => postgresqlStatement({ sql } as never),
  'a query of a model in MySQL': (sql) => mysqlStatement({ sql } as never),
  'a query of a model in ClickHouse': (sql) => clickhouseStatement({ sql } as never),
  'a query of a model in BigQuery': (sql) => bigqueryStatement({ sql } as never, 'my-project'),
  'an error of BigQuery': (text) => bigqueryError(errorOfProto({ reason: 'invalidQuery', message: text }, 400), 1000),
  'a query of a model in Snowflake': (sql) => snowflakeStatement({ sql } as never, 'A'),
  'a query of a model in Snowflake with system$': (sql) =>
    snowflakeStatement({ sql: `${sql}system$${sql}` } as never, 'A'),
  'an account of Snowflake': accountOf,
  'a private key of Snowflake': (text) => privateKeyOf(`-----BEGIN PRIVATE KEY-----${text}`),
  'a result of Snowflake': (text) => createResultReader().push(`{"a":"${text}`),
  'an error of Snowflake': (text) => snowflakeError(new SnowflakeError('001003', `error line 1${text}`), 1000, 1),
  'a query of a model in Databricks': refuseReachingOut,
  'an error of Databricks': plainWords,
  'rows of Databricks': (text) => [...createAnswerReader().push(`{"data_array":[${text}`)],
  'a statement of a destination': compileStatement,
  'an email address': emailOf,
  'a phone number': phoneOf,
  'an email address for Google': googleNormalization.email,
  'a given name for Google': googleNormalization.givenName,
  'a family name for Google': googleNormalization.familyName,
  'an email address for Meta': metaNormalization.email,
  'a date of birth for Meta': metaNormalization.birthday,
  'a state for Meta': metaNormalization.state,
  'a country for Meta': metaNormalization.country,
  'a phone number for Meta': (text) => metaNormalization.phone(text, 'Germany'),
  'a resource name': resourceNames.source.parse,
  'JSON that is made compact': compactJson,
  'JSON that is stored': storableJson,
  'JSON with long numbers': losesDigits,
  'a name in an email': shortName,
  'a sample of a delivery for a guest': (request) => maskSample({ request, response: request } as never),
  'a template': fallbackPaths,
  'a decimal of MySQL': (text) => mysqlValue({ name: 'n', type: 'decimal', precision: 10, scale: 2 } as never, text),
  'a number of PostgreSQL': (text) => postgresqlValue('numeric', text),
  'a name of a column': snakeCase,
  'a certificate': certificatesOf,
  'an error of a storage': errorOf,
  'a page of a storage': (xml) => pageOf(`<ListBucketResult>${xml}`),
  'an error of ClickHouse': (text) => exceptionIn(`Code: 1. DB::Exception: ${text}`),
  'a syntax error of ClickHouse': (text) => {
    const error = exceptionIn(`Code: 62. DB::Exception: Syntax error: failed at position 1 (${text}`)
    return queryError(error, 1000)
  },
  'an error of the event store': (text) => parseEngineError(`Code: 62. ${text}`),
  'the place of an error of the event store': withoutPlace,
  'a statement of the event store': (sql) => substituteParams(sql, new Map()),
  'an insert of the event store': parseInsert,
  'the kind of a statement': (sql) => slotOf(`INSERT INTO ${sql}`, false),
  'a number for the event store': (text) => paramLiteral('n', 'Float64', text),
}

const pumps = [
  ' ',
  '\t',
  '0',
  '=',
  '.',
  ';',
  '/',
  '-',
  '_',
  '<',
  '&',
  ':',
  '+',
  '@',
  '$',
  '\\"',
  "'",
  '{',
  '|',
  '0A',
  'a.',
  '1.',
  'a@',
  '<title',
  '<script',
  '<style',
  '<Contents>',
  '<Code>',
  '(version ',
  ': While executing ',
  ': (in file/uri ',
  'Version/',
  '{a:',
  '/* ',
  '-(',
  ':-',
  '[',
  ' http://',
  '-----BEGIN CERTIFICATE-----',
  '** ',
  '- ',
  '$a',
  ' default: a.b |',
]

test.each(Object.entries(readers))(
  '%s of 60,000 characters is read in linear time, whatever text is repeated',
  (_what, read) => {
    for (const text of pumps)
      for (const pumped of [`${pump(text)}x`, `a${pump(text)}\0 x`]) {
        // Code that takes linear time needs a few milliseconds here; code that takes quadratic time needed 4 s and
        // more.
        const ms = Math.min(...[1, 2].map(() => timeOf(read, pumped)).filter((time, round) => round === 0 || time >= 0))
        expect(ms, `${text} …`).toBeLessThan(1500)
      }
  },
)

/** Returns all texts of up to `longest` of these pieces. */
const textsOf = (pieces: readonly string[], longest: number): string[] => {
  let texts = ['']
  const all = ['']
  for (let count = 0; count < longest; count++) {
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece))
    all.push(...texts)
  }
  return all
}

describe('linear readers give the same results as the former ones', () => {
  const expectSame = (texts: readonly string[], now: Reader, before: Reader): void => {
    const differing = texts.filter((text) => JSON.stringify(now(text)) !== JSON.stringify(before(text)))
    expect(differing).toEqual([])
  }
  const numbers = textsOf(['+', '-', '0', '7', '.', 'e', ' '], 5)

  test('the linear reader of numbers gives the same results as the former one', () => {
    const numeral = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i
    const isNumber = (text: string): boolean => Object.hasOwn(coerce(text, 'number') ?? {}, 'value')
    expectSame(
      numbers.filter((text) => text.trim() !== ''),
      isNumber,
      (text) => numeral.test(text) && Number.isFinite(Number(text)),
    )
    const float = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf|nan)$/
    const takes = (text: string): boolean => {
      try {
        return paramLiteral('n', 'Float64', text) !== ''
      } catch {
        return false
      }
    }
    expectSame(numbers, takes, (text) => float.test(text))
  })

  test('the linear reader of placeholder identifiers gives the same results as the former one', () => {
    const blocked =
      /^[ \t\r\n]*(|null|undefined|none|nil|nan|n\/a|unknown|anonymous|guest|true|false|-1|[0-]+|\[object object\])[ \t\r\n]*$/i
    expectSame(
      textsOf([' ', '\t', 'null', '0', '-', '1', 'N/A', '\u00a0'], 5),
      (text) => unusable(text) === 'blocked',
      (text) => blocked.test(text),
    )
  })

  test('the linear reader of the end of a statement gives the same results as the former one', () => {
    expectSame(textsOf([';', ' ', '\n', 'a', '\u00a0'], 6), withoutStatementEnd, (text) =>
      text.trim().replace(/[;\s]+$/, ''),
    )
  })

  test('the linear reader of resource names gives the same results as the former one', () => {
    const form = /^workspaces\/([A-Za-z0-9_-]+)\/sources\/([A-Za-z0-9_-]+)$/
    expectSame(textsOf(['workspaces', 'sources', '/', 'a', '_', '.', ' '], 6), resourceNames.source.parse, (text) => {
      const match = form.exec(text)
      return match === null ? undefined : { workspace: match[1], source: match[2] }
    })
  })

  test('the linear reader of statement parameters gives the same results in statements with closed quotes', () => {
    const tokens =
      /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$[a-zA-Z_]*\w*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\/|::|:=|\w:\w|:([a-z_][a-z0-9_]*)/g
    const pieces = ["'a:type'", "e'\\''", '":event"', '$', '$a$', ' :type', ' :none', '::', '--', '\n', '/*x*/', 'b']
    expectSame(textsOf(pieces, 4), compileStatement, (statement) => {
      const names: string[] = []
      let unknown = false
      const text = statement.replace(tokens, (found: string, _tag: unknown, name: string | undefined) => {
        if (name === undefined) return found
        if (name !== 'type') {
          unknown = true
          return found
        }
        if (!names.includes(name)) names.push(name)
        return `$${names.indexOf(name) + 1}::text`
      })
      return unknown ? undefined : { text: text.trim().replace(/;+\s*$/, ''), names }
    })
  })

  test('the linear reader of event store errors gives the same results as the former one', () => {
    const form =
      /^(?:Error: )?Code: (\d+)\. (?:DB::Exception: )?([\s\S]*?)\s*\(([A-Z][A-Z0-9_]+)\)\s*(?:\(version [^)]*\)\.?)?\s*$/
    const pieces = [
      'Error: ',
      'Code: 62. ',
      'DB::Exception: ',
      'a (b)',
      ' (AB)',
      ' (version 1)',
      '.',
      ' ',
      'Code: 7. (AB)',
    ]
    expectSame(
      textsOf(pieces, 5),
      (text) => {
        const { code, codeName, message } = parseEngineError(text)
        return codeName === 'UNKNOWN_EXCEPTION' ? undefined : [code, codeName, message]
      },
      (text) => {
        const match = form.exec(text)
        return match === null ? undefined : [Number(match[1]), match[3], match[2]]
      },
    )
    expectSame(textsOf(['a', ' ', ': (in file/uri b)', ': While executing C', '.', ')'], 5), withoutPlace, (text) =>
      text.replace(/\s*: \(in file\/uri [^)]*\)/, '').replace(/(?:: While executing \w+)+\.?\s*$/, ''),
    )
  })

  test('the linear reader of names in emails gives the same results as the former one', () => {
    const scheme = /\b(?:[a-z][a-z0-9+.-]*:(?=[/\\]{2})|(?:mailto|tel|sms|javascript|data):)/giu
    const pieces = ['http', ':', '//', 'x', '_', '1', 'tel:', ' ', '+', 'é']
    // The text before the scheme is the same for both readers, so that only schemes can differ.
    expectSame(textsOf(pieces, 5), shortName, (text) => shortName(text.replace(scheme, ' ')))
  })

  test("the linear reader of a storage's errors and pages gives the same results as the former one", () => {
    const part = (xml: string, name: string): string =>
      new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim() ?? ''
    expectSame(textsOf(['<Code>', '</Code>', 'a', '<', 'Code>', '<Message>', '</Message>'], 6), errorOf, (xml) => ({
      code: part(xml, 'Code'),
      message: part(xml, 'Message'),
    }))
  })

  test('JSON with unclosed quotes is left unchanged', () => {
    expect(compactJson('{ "a" : "b\\u0041" }')).toBe('{"a":"bA"}')
    expect(storableJson('{"a":123456789012345678901234567890,"b":"1e999"}')).toBe(
      '{"a":1.2345678901234568e+29,"b":"1e999"}',
    )
  })
})
