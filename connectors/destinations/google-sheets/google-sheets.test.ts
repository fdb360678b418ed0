import {
  ConfigurationError,
  type EventOutcome,
  type OutgoingRow,
  parseExactJson,
  RetryableError,
} from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnectorRows, runDescribeRows } from '@tributary/connector-kit/testing'
import { startVendor, testDestination, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import { testRowObject } from '@tributary/connector-kit/testing-rows'
import { describe, expect, it } from 'vitest'
import { spreadsheetId } from '../../wire/google/spreadsheet.ts'
import { cellOf, keyCell } from './cells.ts'
import { googleSheets } from './definition.ts'
import { columnLetters } from './read-sheet.ts'
import { check, oauth2 } from './settings.ts'
import { sheetObject, sheetOf } from './sheet-address.ts'
import { answerOf, createSpreadsheet, errorOf, spreadsheet, token } from './testing-google-sheets.ts'

const origins = ['https://sheets.googleapis.com']
const settings = { spreadsheet, client_id: 'client', client_secret: 'GOCSPX-0123456789' }

const accessToken = async (refused?: string, again?: boolean): Promise<string> => {
  if (again === true) throw new ConfigurationError('The connection was revoked: reconnect')
  return refused === undefined ? token : `${token}-renewed`
}

const event = (messageId: string, total: number) =>
  outgoingEvent(
    { messageId },
    { action: 'write_row', payload: { sheet: 'Orders', message_id: messageId, event: '=SUM(1)', total } },
  )

const base = { host: 'sheets.googleapis.com', path: `/v4/spreadsheets/${spreadsheet}` }

testDestination(googleSheets, {
  origins,
  settings: () => settings,
  accessToken,
  secrets: [token, settings.client_secret],
  vendor: (request) => createSpreadsheet().answer(request),
  events: [event('m-1', 5), event('m-2', 7)],
  requests: [
    { ...base, method: 'GET', query: { fields: 'sheets.properties(sheetId,title,gridProperties)' } },
    {
      ...base,
      method: 'POST',
      path: `${base.path}:batchUpdate`,
      body: {
        requests: [
          { addSheet: { properties: { title: 'Orders' } } },
          {
            updateCells: {
              start: { rowIndex: 0, columnIndex: 0 },
              rows: [
                {
                  values: ['message_id', 'event', 'total'].map((stringValue) => ({
                    userEnteredValue: { stringValue },
                  })),
                },
              ],
            },
          },
          {
            appendCells: {
              fields: 'userEnteredValue',
              rows: [
                {
                  values: [
                    { userEnteredValue: { stringValue: 'm-1' } },
                    { userEnteredValue: { stringValue: '=SUM(1)' } },
                    { userEnteredValue: { numberValue: 5 } },
                  ],
                },
                {
                  values: [
                    { userEnteredValue: { stringValue: 'm-2' } },
                    { userEnteredValue: { stringValue: '=SUM(1)' } },
                    { userEnteredValue: { numberValue: 7 } },
                  ],
                },
              ],
            },
          },
        ],
      },
    },
  ],
  connected: 'Connected to the spreadsheet Customers.',
  badCredentials: {
    settings: () => settings,
    answer: errorOf(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
    message: 'The connection was revoked',
  },
})

const orders = sheetObject({ title: 'Orders', identifier: 'id' })
const row = (operation: OutgoingRow['operation'], key: string, values: object = {}): OutgoingRow => ({
  recordId: `run.${operation}.${key}`,
  operation,
  object: orders,
  key,
  json: JSON.stringify({ id: key, ...values }),
})

const writer = async (answer: (request: VendorRequest) => PeerAnswer) => {
  const { asked, rebase } = await startVendor({ origins }, answer)
  const write = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
    const { outcomes } = await runConnectorRows(googleSheets, settings, rows, { rebase, accessToken })
    if ('kind' in outcomes) throw new Error('One outcome for all rows')
    return outcomes
  }
  const updates = () =>
    asked
      .filter(({ method }) => method === 'POST')
      .map(({ body }) => (body as { requests: object[] }).requests.map((each) => Object.keys(each)[0]))
  return { asked, write, updates }
}
const delivered = { kind: 'delivered' }

describe('rows of a sheet', () => {
  const vendor = createSpreadsheet()
  testRowObject({
    address: (title) => sheetObject({ title, identifier: 'id' }),
    write: async (rows) => (await writer(vendor.answer)).write(rows),
    read: async (title) => {
      const [header = [], ...rows] = vendor.read(title)
      const plan = header.indexOf('plan')
      return rows
        .map((cells) => ({ id: String(cells[header.indexOf('id')]), plan: cells[plan]?.toString() ?? null }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
    refuseBad: vendor.refuseBad,
  })
})

describe('a sheet that people created', () => {
  it('a sheet that people created keeps its columns, in any order, and the contents of columns that rows lack', async () => {
    const vendor = createSpreadsheet()
    vendor.fill('Orders', [
      [' note ', 'plan', undefined, 'id'],
      ['a note', 'free', '=A2', 'a'],
      ['no key', undefined, undefined, undefined],
      ['another', 'free', '=A4', 7],
    ])
    const { write } = await writer(vendor.answer)
    expect(
      await write([
        row('upsert', 'a', { plan: 'pro', seats: 3 }),
        row('upsert', '7', { plan: 'max', seats: null }),
        row('insert', 'new', { plan: 'new' }),
      ]),
    ).toEqual([delivered, delivered, delivered])
    expect(vendor.read('Orders')).toEqual([
      [' note ', 'plan', null, 'id', 'seats'],
      ['a note', 'pro', '=A2', 'a', 3],
      ['no key', null, null, null, null],
      ['another', 'max', '=A4', 7, null],
      [null, 'new', null, 'new', null],
    ])
  })

  it('a sheet that people created loses all rows with a deleted key, even if no rows remain', async () => {
    const vendor = createSpreadsheet()
    vendor.fill('Orders', [['id'], ['a'], ['b'], ['a'], ['c']])
    const { write } = await writer(vendor.answer)
    await write([row('delete', 'a')])
    expect(vendor.read('Orders')).toEqual([['id'], ['b'], ['c']])
    await write([row('delete', 'c'), row('delete', 'b')])
    expect(vendor.read('Orders')).toEqual([['id']])
  })

  it('a sheet is found by its title in any letter case, also with quotes and other special characters', async () => {
    const vendor = createSpreadsheet()
    vendor.fill("Ada's ÄRGER / 100%", [['id'], ['a']])
    const { write } = await writer(vendor.answer)
    const object = sheetObject({ title: " ada's ärger / 100% ", identifier: 'id' })
    expect(await write([{ ...row('delete', 'a'), object }])).toEqual([delivered])
    expect(vendor.read("Ada's ÄRGER / 100%")).toEqual([['id']])
  })
})

describe('requests to Google Sheets', () => {
  it('a batch needs three requests to read and one to write, whatever the operation and number of rows', async () => {
    const vendor = createSpreadsheet()
    const keys = Array.from({ length: 900 }, (_, at) => `k${at}`)
    vendor.fill('Orders', [['id', 'n'], ...keys.map((key) => [key, 0])])
    const { write, asked, updates } = await writer(vendor.answer)
    const rows = keys.slice(0, 500).map((key, n) => row('upsert', key, { n }))
    await write([...rows, row('upsert', 'new', { n: 1 }), ...keys.slice(500).map((key) => row('delete', key))])
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST'])
    // Cells beside each other are written as one block.
    expect(updates()).toEqual([['updateCells', 'appendCells', 'deleteDimension']])
    expect(vendor.read('Orders')).toHaveLength(502)
  })

  it('a batch that changes nothing sends no write request', async () => {
    const vendor = createSpreadsheet()
    vendor.fill('Orders', [['id'], ['a']])
    const { write, updates } = await writer(vendor.answer)
    const outcomes = await write([row('insert', 'a'), row('update', 'b'), row('delete', 'c')])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['skipped', 'skipped', 'delivered'])
    expect(updates()).toEqual([])
  })

  it('a batch reads all keys of a long sheet', async () => {
    const vendor = createSpreadsheet()
    vendor.fill('Orders', [['id'], ...Array.from({ length: 20_000 }, (_, at) => [`person-${at}@example.com`])])
    const { write } = await writer(vendor.answer)
    const outcomes = await write([row('insert', 'person-19999@example.com'), row('insert', 'x')])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['skipped', 'delivered'])
  })
})

it('a value with too many characters for a cell rejects only its own row', async () => {
  const { write } = await writer(createSpreadsheet().answer)
  const outcomes = await write([row('upsert', 'a', { note: 'x'.repeat(50_001) }), row('upsert', 'b', { note: 'x' })])
  expect(outcomes).toEqual([{ kind: 'rejected', reason: 'note has more than 50,000 characters' }, delivered])
})

describe('temporary errors', () => {
  it.each<[Record<string, string>, number]>([
    [{}, 60_000],
    [{ 'retry-after': '7' }, 7000],
  ])(
    'after too many requests, rows wait for the quota or for the time in the header: %j',
    async (headers, retryAfterMs) => {
      const vendor = createSpreadsheet()
      const body = JSON.stringify({ error: { code: 429, message: "Quota exceeded for quota metric 'Write requests'" } })
      const { write } = await writer((request) =>
        request.method === 'POST' ? { status: 429, headers, body } : vendor.answer(request),
      )
      const retry = { kind: 'retry', reason: "Quota exceeded for quota metric 'Write requests'", retryAfterMs }
      expect(await write([row('upsert', 'a'), row('upsert', 'b')])).toEqual([retry, retry])
    },
  )

  it('if the second half fails, the first half is written and the rest is sent again', async () => {
    const vendor = createSpreadsheet()
    vendor.refuseBad('Orders')
    let writes = 0
    const { write } = await writer((request) =>
      request.method === 'POST' && ++writes > 2 ? { status: 503 } : vendor.answer(request),
    )
    const outcomes = await write([row('upsert', 'a'), row('upsert', 'b', { plan: 'bad' })])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['delivered', 'retry'])
  })

  it.each<[string, PeerAnswer]>([
    ['no answer at all', 'reset'],
    ['an answer that is no JSON', { status: 200, body: '{"sheets":[' }],
  ])('a batch that gets %s is retried', async (_, answer) => {
    const { write } = await writer(() => answer)
    await expect(write([row('upsert', 'a')])).rejects.toThrow(RetryableError)
  })
})

describe('errors that a person must fix', () => {
  it.each<[string, PeerAnswer, string]>([
    [
      'a spreadsheet that is not shared',
      errorOf(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
      'not allow',
    ],
    ['a spreadsheet that is gone', errorOf(404, 'NOT_FOUND', 'Requested entity was not found.'), 'does not find'],
    [
      'an Office file',
      errorOf(400, 'FAILED_PRECONDITION', 'This operation is not supported for this document'),
      'no more',
    ],
  ])('a batch that fails because of %s holds rows with the reason', async (_, answer, words) => {
    const { write } = await writer(() => answer)
    const failure = await write([row('upsert', 'a'), row('upsert', 'b')]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(String(failure)).toContain(words)
  })

  it('a sheet with more keys than the connector reads holds rows, and is not written', async () => {
    const vendor = createSpreadsheet()
    vendor.fill('Orders', [['id'], ['a']])
    const values = [Array.from({ length: 17 }, () => 'x'.repeat(1024 * 1024))]
    const { write, updates } = await writer((request) =>
      request.path.endsWith('A2%3AA') ? answerOf(200, { values }) : vendor.answer(request),
    )
    await expect(write([row('upsert', 'a')])).rejects.toThrow('too many rows')
    expect(updates()).toEqual([])
  })

  it('a full spreadsheet holds rows, which are not sent again in halves', async () => {
    const vendor = createSpreadsheet()
    const full = 'This action would increase the number of cells in the workbook above the limit of 10000000 cells.'
    const { write, updates } = await writer((request) =>
      request.method === 'POST' ? errorOf(400, 'INVALID_ARGUMENT', full) : vendor.answer(request),
    )
    await expect(write([row('upsert', 'a'), row('upsert', 'b')])).rejects.toThrow(ConfigurationError)
    expect(updates()).toHaveLength(1)
  })
})

it('the columns of a sheet are its fields, and a missing sheet has no fields', async () => {
  const vendor = createSpreadsheet()
  vendor.fill('Orders', [['id', undefined, ' plan '], ['a']])
  const { rebase } = await startVendor({ origins }, vendor.answer)
  const ask = async (name: string) => {
    const given = { object: 'sheet', name }
    const { fields } = await runDescribeRows(googleSheets, settings, given, { rebase, accessToken })
    return fields.map((field) => field.name)
  }
  expect([await ask(' orders '), await ask('Others')]).toEqual([['id', 'plan'], []])
})

it('rows of objects other than sheets are rejected', async () => {
  for (const odd of ['users', 'sheets/a', 'sheets/a/b/c', 'sheets//id', 'sheets/a/%'])
    expect(sheetOf(odd)).toBeUndefined()
  expect(sheetOf(sheetObject({ title: 'a/b ', identifier: ' ä' }))).toEqual({ title: 'a/b', identifier: 'ä' })
  const { write, asked } = await writer(() => answerOf(200, {}))
  expect(await write([{ ...row('delete', 'a'), object: 'users' }])).toMatchObject([{ kind: 'rejected' }])
  expect(asked).toEqual([])
})

it.each([
  [spreadsheet, spreadsheet],
  [` https://docs.google.com/spreadsheets/d/${spreadsheet}/edit?gid=0#gid=0 `, spreadsheet],
  [`https://docs.google.com/spreadsheets/u/1/d/${spreadsheet}`, spreadsheet],
  ['https://docs.google.com/document/d/short', undefined],
  ['../../v4/other', undefined],
])('the setting %s is read as the spreadsheet ID %s', (entered, id) => {
  expect(spreadsheetId(entered)).toBe(id)
  expect(Object.keys(check({ spreadsheet: entered }))).toEqual(id === undefined ? ['spreadsheet'] : [])
})

it('the grant can be renewed, and its tokens go only to the API', () => {
  const client = oauth2(settings)
  expect(client).toMatchObject({
    clientId: 'client',
    tokensSentTo: origins,
    extraAuthorizeParameters: { access_type: 'offline' },
  })
})

it.each([
  [null, undefined],
  ['', undefined],
  ['=1+1', { stringValue: '=1+1' }],
  [true, { boolValue: true }],
  [1.5, { numberValue: 1.5 }],
  [parseExactJson('1.50'), { numberValue: 1.5 }],
  [Number.MAX_SAFE_INTEGER, { stringValue: '9007199254740991' }],
  [1e21, { stringValue: '1e+21' }],
  [{ a: [1] }, { stringValue: '{"a":[1]}' }],
])('the value %j becomes the cell %j', (value, userEnteredValue) => {
  expect(cellOf(value)).toEqual(userEnteredValue === undefined ? {} : { userEnteredValue })
})

it('a key becomes a number in the sheet only if its text stays the same', () => {
  expect(keyCell('7', 7)).toEqual({ userEnteredValue: { numberValue: 7 } })
  expect(keyCell('007', '007')).toEqual({ userEnteredValue: { stringValue: '007' } })
  expect(keyCell('9007199254740993', 9007199254740992)).toEqual({
    userEnteredValue: { stringValue: '9007199254740993' },
  })
})

it('column numbers become the column letters of a sheet', () => {
  expect([0, 25, 26, 51, 701, 702].map(columnLetters)).toEqual(['A', 'Z', 'AA', 'AZ', 'ZZ', 'AAA'])
})
