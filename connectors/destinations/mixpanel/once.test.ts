import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer } from '@tributary/connector-kit/testing'
import type { VendorRequest } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { documented, json, recordsOf, sent } from './testing-mixpanel.ts'

const time = '2026-01-02T03:04:05.000Z'
const user = (id: string, changes: object): OutgoingEvent =>
  outgoingEvent({ messageId: id }, { action: 'identify', payload: { message_id: id, time, user_id: id, ...changes } })

/** Returns the records that Mixpanel takes, each by the user and the operation. */
const takenOf = (asked: readonly VendorRequest[], isTaken: (request: VendorRequest, at: number) => boolean) =>
  asked
    .filter(({ path }) => path === '/engage')
    .filter(isTaken)
    .flatMap(recordsOf)
    .map(
      (record) =>
        `${String(record['$distinct_id'])} ${Object.keys(record).find((name) => /^\$(set|add|append)/.test(name))}`,
    )

const isOnce = (record: object): boolean => '$add' in record || '$append' in record

/*
 * docs.mixpanel.com, "Update Multiple Profiles" (2,000 records a request, failed_records) and "Increment Numerical
 * Property": an operation that is sent again counts again.
 */
describe('a change that counts twice', () => {
  const changes = { traits: { plan: 'pro' }, profile_set_once: { first: 'a' }, profile_add: { logins: 1 } }

  it('is not sent twice if another record of its event is in a request that fails', async () => {
    const events = Array.from({ length: 900 }, (_, at) => user(`u${at}`, changes))
    let engaged = 0
    const limited = (request: VendorRequest): PeerAnswer =>
      request.path === '/engage' && engaged++ === 0 ? { status: 429 } : documented(request)
    const first = await sent(events, {}, limited)
    const outcomes = first.result.outcomes as readonly EventOutcome[]
    const repeated = events.filter((_, at) => outcomes[at]?.kind === 'retry')
    expect(repeated.length).toBeGreaterThan(0)
    const second = await sent(repeated)
    const taken = [...takenOf(first.asked, (_, at) => at > 0), ...takenOf(second.asked, () => true)]
    const added = taken.filter((name) => name.endsWith('$add'))
    expect(added.toSorted()).toEqual(events.map(({ messageId }) => `${messageId} $add`).toSorted())
  })

  it('is not sent if Mixpanel refuses another record of its event', async () => {
    const refusing = (request: VendorRequest): PeerAnswer => {
      const at = recordsOf(request).findIndex((record) => record['$distinct_id'] === 'bob' && '$set' in record)
      return request.path !== '/engage' || at < 0
        ? documented(request)
        : json(400, { code: 400, error: 'failed', failed_records: [{ index: at, message: 'invalid $set' }] })
    }
    const { result, asked } = await sent([user('ada', changes), user('bob', changes)], {}, refusing)
    expect(result.outcomes).toEqual([{ kind: 'delivered' }, { kind: 'rejected', reason: 'invalid $set' }])
    const names = takenOf(asked, () => true)
    expect(names.filter((name) => name.endsWith('$add'))).toEqual(['ada $add'])
  })

  const append = { traits: { plan: 'pro' }, profile_add: { logins: 1 }, profile_append: { seen: 'x' } }
  const refusal = (named: boolean, isBad: (record: object) => boolean) => (request: VendorRequest) => {
    const at = recordsOf(request).findIndex(isBad)
    if (request.path !== '/engage' || at < 0) return documented(request)
    const names = named ? { failed_records: [{ index: at, message: 'not a list' }] } : {}
    return json(400, { code: 400, error: 'not a list', ...names })
  }
  const isAppend = (record: object): boolean => '$append' in record
  const addsOf = (asked: readonly VendorRequest[]) =>
    asked.flatMap(recordsOf).filter((record) => '$add' in record && record['$distinct_id'] === 'ada')

  it.each([
    ['and Mixpanel names it', true, 'not a list'],
    ['and Mixpanel does not name it', false, 'HTTP 400: not a list'],
  ])(
    'that is refused beside one that has arrived, %s, is named, and the event is not sent again',
    async (_, named, reason) => {
      const { result, asked } = await sent([user('ada', append)], {}, refusal(named, isAppend))
      expect(result.outcomes).toEqual([{ kind: 'delivered', note: `Sent without $append: ${reason}` }])
      const taken = addsOf(asked.filter((request) => !recordsOf(request).some(isAppend) || named))
      expect(taken).toHaveLength(1)
    },
  )

  it('that meets a rate limit after another one has arrived is named, and the event is not sent again', async () => {
    const limited = (request: VendorRequest): PeerAnswer => {
      const records = recordsOf(request)
      if (request.path !== '/engage' || !records.some(isAppend)) return documented(request)
      return records.length > 1 ? json(400, { code: 400, error: 'failed' }) : { status: 429 }
    }
    const { result } = await sent([user('ada', append)], {}, limited)
    expect(result.outcomes).toEqual([{ kind: 'delivered', note: expect.stringContaining('Sent without $append: ') }])
  })

  it('is refused with its event if no other change of the event has arrived', async () => {
    const { result } = await sent([user('ada', append)], {}, refusal(false, isOnce))
    expect(result.outcomes).toEqual([{ kind: 'rejected', reason: 'HTTP 400: not a list' }])
  })

  it('is in the same request as the others of its event that count twice', async () => {
    const both = { profile_add: { logins: 1 }, profile_append: { seen: 'x' }, profile_transaction: 5 }
    const events = Array.from({ length: 700 }, (_, at) => user(`u${at}`, both))
    const { asked, result } = await sent(events)
    expect((result.outcomes as readonly EventOutcome[]).every(({ kind }) => kind === 'delivered')).toBe(true)
    const requests = asked.map((request) => recordsOf(request).filter(isOnce)).filter((records) => records.length > 0)
    expect(requests.flat()).toHaveLength(2100)
    const people = requests.map((records) => new Set(records.map((record) => record['$distinct_id'])))
    expect(people.reduce((sum, each) => sum + each.size, 0)).toBe(700)
  })
})
