import { type OutgoingRow, validateSettings } from '@tributary/connector-kit'
import { type PeerAnswer, runConnectorRows } from '@tributary/connector-kit/testing'
import { startVendor } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { mixpanel } from './definition.ts'
import { json, settings, token } from './testing-mixpanel.ts'

describe('the deletion of users', () => {
  const gdpr = ['https://mixpanel.com', 'https://eu.mixpanel.com', 'https://in.mixpanel.com']
  const row = (ids: { userIds?: string[]; anonymousIds?: string[] }): OutgoingRow => ({
    recordId: 'r-1',
    operation: 'delete',
    object: 'users',
    key: 'k',
    json: JSON.stringify({ userIds: [], anonymousIds: [], externalIds: [], ...ids }),
  })
  /** The response of docs.mixpanel.com/reference/gdpr-api, "Create a Deletion Task". */
  const accepted = json(200, { status: 'ok', results: [{ status: 'PENDING', tracking_id: '1583792934719392965' }] })
  const erase = async (rows: readonly OutgoingRow[], more: object = {}, answer: PeerAnswer = accepted) => {
    const { asked, rebase } = await startVendor({ origins: gdpr }, () => answer)
    const given = { ...settings, gdpr_token: 'gdpr-oauth-token-1', ...more }
    return { asked, result: await runConnectorRows(mixpanel, given, rows, { rebase }) }
  }

  it.each([
    ['us', 'mixpanel.com'],
    ['eu', 'eu.mixpanel.com'],
    ['in', 'in.mixpanel.com'],
  ])('a project stored in %s is asked at %s with all IDs of the user', async (region, host) => {
    const { asked, result } = await erase([row({ userIds: ['ada'], anonymousIds: ['device-1'] })], { region })
    expect(asked).toMatchObject([
      {
        method: 'POST',
        host,
        path: '/api/app/data-deletions/v3.0/',
        query: { token },
        headers: { authorization: 'Bearer gdpr-oauth-token-1' },
        body: { distinct_ids: ['ada', 'device-1', '$device:device-1'], compliance_type: 'GDPR' },
      },
    ])
    expect(result).toMatchObject({ outcomes: { kind: 'delivered' } })
  })

  it('a request has at most 1,999 IDs', async () => {
    const userIds = Array.from({ length: 4500 }, (_, at) => `u${at}`)
    const { asked } = await erase([row({ userIds })])
    expect(asked.map(({ body }) => (body as { distinct_ids: string[] }).distinct_ids.length)).toEqual([1999, 1999, 502])
  })

  it.each([
    [
      json(401, { error: 'gdpr-oauth-token-1' }),
      { kind: 'rejected', reason: 'Mixpanel refuses the GDPR API token (HTTP 401)' },
    ],
    [json(400, { error: 'bad request' }), { kind: 'rejected', reason: 'HTTP 400: bad request' }],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { kind: 'retry', retryAfterMs: 7000 },
    ],
    [{ status: 503 }, { kind: 'retry' }],
  ] as [PeerAnswer, object][])('the answer %j settles the deletion, without its secrets', async (answer, outcome) => {
    const { result } = await erase([row({ userIds: ['ada'] })], {}, answer)
    expect(result.outcomes).toMatchObject(outcome)
    expect(JSON.stringify(result)).not.toContain('gdpr-oauth-token-1')
    expect(JSON.stringify(result)).not.toContain(token)
  })

  it('without a token, or without an ID, nothing is sent', async () => {
    const validated = validateSettings(mixpanel, settings)
    const lacks =
      typeof mixpanel.deletesUsers === 'function' && validated.ok && mixpanel.deletesUsers(validated.settings)
    expect(lacks).toBe('no GDPR API token')
    for (const [rows, more] of [
      [[row({ userIds: ['ada'] })], { gdpr_token: undefined }],
      [[row({})], {}],
      [[{ ...row({ userIds: ['ada'] }), object: 'else' }], {}],
    ] as const) {
      const { asked, result } = await erase(rows, more)
      expect(result.outcomes).toMatchObject([{ kind: 'rejected' }])
      expect(asked).toEqual([])
    }
  })
})
