import { describe, expect, it } from 'vitest'
import type { EventOutcome } from '../../definition/definition.ts'
import type { PeerAnswer } from '../../testing/testing.ts'
import { byIndex, type Item, ids, kinds, ok, run, type Values } from '../testing-descriptions.ts'

describe('the answer to a batch', () => {
  it.each([
    ['in order', [1, 3]],
    ['in another order, and twice', [3, 1, 3]],
  ])('named items are rejected, and the others are never sent again: %s', async (_, positions) => {
    const errors = positions.map((at) => ({ at, why: `no ${at}` }))
    const { outcomes, sent } = await run(byIndex('delivered'), ids(5), () => ({
      status: 207,
      body: JSON.stringify({ errors }),
    }))
    expect(kinds(outcomes)).toEqual(['delivered', 'rejected', 'delivered', 'rejected', 'delivered'])
    expect(outcomes[3]).toEqual({ kind: 'rejected', reason: 'no 3' })
    expect(sent).toHaveLength(1)
  })

  it('if some items were accepted and a refused one has no name, no item is sent again or counts as success', async () => {
    const answer = (errors: readonly object[]) => () => ({ status: 207, body: JSON.stringify({ errors }) })
    const reason = 'Sample does not say which records it refuses, and has accepted the others: required'
    const refused: EventOutcome = { kind: 'rejected', reason }
    const unnamed = { why: 'required' }
    const all = await run(byIndex('delivered'), ids(3), answer([unnamed]))
    expect(all.outcomes).toEqual([refused, refused, refused])
    expect(all.sent).toHaveLength(1)
    const one = { kind: 'rejected', reason: 'bad' } as const
    const named = await run(
      byIndex('delivered'),
      ids(3),
      answer([
        { at: 1, why: 'bad' },
        { at: 99, ...unnamed },
      ]),
    )
    expect(named.outcomes).toEqual([refused, one, refused])
    const only = await run(byIndex('delivered'), ids(1), answer([unnamed]))
    expect(only.outcomes).toEqual([{ kind: 'rejected', reason: 'required' }])
    const later = byIndex('delivered', { retry: { path: 'code', is: [503] } })
    const busy = answer([{ code: 503, why: 'busy' }])
    expect((await run(later, ids(1), busy)).outcomes).toEqual([{ kind: 'retry', reason: 'busy' }])
    expect(kinds((await run(later, ids(2), busy)).outcomes)).toEqual(['rejected', 'rejected'])
  })

  it('if repeated items are ignored, halves find the refused ones that have no name', async () => {
    const accepted = new Set<unknown>()
    const vendor = (items: readonly Item[]): PeerAnswer => {
      const bad = items.filter(({ id }) => id === 2 || id === 3 || id === 6)
      for (const { id } of items) if (!bad.some((one) => one.id === id)) accepted.add(id)
      const errors = bad.map(({ id }) => ({
        why: `no ${String(id)}`,
        ...(id === 6 ? { at: items.findIndex((one) => one.id === 6) } : {}),
      }))
      return bad.length === 0 ? ok : { status: 207, body: JSON.stringify({ errors }) }
    }
    const { outcomes } = await run(byIndex('repeatable'), ids(8), vendor)
    expect(outcomes.map((outcome) => ('reason' in outcome ? outcome.reason : outcome.kind))).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((id) => ([2, 3, 6].includes(id) ? `no ${id}` : 'delivered')),
    )
    expect([...accepted].toSorted()).toEqual([0, 1, 4, 5, 7])
  })

  it('a vendor that never names what it refuses ends with a rejection of each item', async () => {
    const answer = () => ({ status: 207, body: '{"errors":[{"why":"bad"}]}' })
    const { outcomes, sent } = await run(byIndex('repeatable'), ids(8), answer)
    expect(outcomes).toEqual(ids(8).map(() => ({ kind: 'rejected', reason: 'bad' })))
    expect(sent).toHaveLength(15)
  })

  it('an error without a name in a request of which nothing was accepted is found by halves', async () => {
    const { outcomes } = await run(byIndex('not_accepted'), ids(4), (items) =>
      items.some(({ id }) => id === 2) ? { status: 207, body: '{"errors":[{"why":"bad"}]}' } : ok,
    )
    expect(kinds(outcomes)).toEqual(['delivered', 'delivered', 'rejected', 'delivered'])
  })

  const each: Readonly<Record<number, EventOutcome>> = {
    200: { kind: 'delivered' },
    400: { kind: 'rejected', reason: 's400' },
    503: { kind: 'retry', reason: 's503', retryAfterMs: 3000 },
  }
  const orders = [
    [200, 400, 503],
    [200, 503, 400],
    [400, 200, 503],
    [400, 503, 200],
    [503, 200, 400],
    [503, 400, 200],
  ]
  const retry = { path: 'status', is: [429, 503] }

  it.each(orders)(
    'an item is accepted, retried, and rejected by the entry at its position: %i, %i, %i',
    async (...statuses) => {
      const more = { at: 'results', by: 'position', delivered: { path: 'status', is: [200] }, retry }
      const { outcomes, sent } = await run(byIndex('delivered', more), ids(3), () => ({
        status: 207,
        headers: { 'retry-after': '3' },
        body: JSON.stringify({ results: statuses.map((status) => ({ status, why: `s${status}` })) }),
      }))
      expect(outcomes).toEqual(statuses.map((status) => each[status]))
      expect(sent).toHaveLength(1)
    },
  )

  it.each(orders)('entries in another order name their items: %i, %i, %i', async (...statuses) => {
    const entries = statuses
      .map((status, at) => ({ at, status, why: `s${status}` }))
      .filter(({ status }) => status !== 200)
    const { outcomes } = await run(byIndex('delivered', { retry }), ids(3), () => ({
      status: 207,
      headers: { 'retry-after': '3' },
      body: JSON.stringify({ errors: entries.toReversed() }),
    }))
    expect(outcomes).toEqual(statuses.map((status) => each[status]))
  })

  it.each([
    ['a date', { 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30_000],
    ['ms', { 'x-wait': '1500' }, 1500],
    ['a year', { 'retry-after': '31536000' }, 3_600_000],
  ])('a rate limit with a wait as %s delays the events', async (_, headers, retryAfterMs) => {
    const answers = { retry_after: { header: 'x-wait', unit: 'milliseconds' } }
    const { outcomes } = await run({ answers }, ids(2), () => ({ status: 429, headers }))
    expect(outcomes).toEqual(ids(2).map(() => ({ kind: 'retry', reason: 'HTTP 429', retryAfterMs })))
  })

  it.each([
    ['a web page', '<!doctype html><html><title>Sign in</title></html>', /A web page came in place/],
    ['nothing', '', undefined],
  ])('a success with %s instead of a list of errors', async (_, body, problem) => {
    const deliver = run(byIndex('delivered'), ids(2), () => ({ status: 207, body }))
    if (problem !== undefined) return await expect(deliver).rejects.toThrow(problem)
    expect(kinds((await deliver).outcomes)).toEqual(['delivered', 'delivered'])
  })

  it('an error inside a success refuses the request, which is sent in halves', async () => {
    const rules = [{ status: ['2xx'], when: { path: 'status', is: ['error'] }, outcome: 'rejected' }]
    const { outcomes } = await run({ answers: { rules, reason: ['why'] } }, ids(4), (items) =>
      items.some(({ id }) => id === 1) ? { status: 200, body: '{"status":"error","why":"no"}' } : ok,
    )
    expect(kinds(outcomes)).toEqual(['delivered', 'rejected', 'delivered', 'delivered'])
    expect(outcomes[1]).toEqual({ kind: 'rejected', reason: 'HTTP 200: no' })
  })

  it('items are found by a key, and one key can stand for several of them', async () => {
    const described = byIndex('delivered', { by: { key: 'id', of_item: 'id' } })
    const { outcomes } = await run(described, [{ id: 'a' }, { id: 'b' }, { id: 'a' }], () => ({
      status: 207,
      body: '{"errors":[{"id":"a","why":"gone"}]}',
    }))
    expect(kinds(outcomes)).toEqual(['rejected', 'delivered', 'rejected'])
  })

  it('if nothing was accepted, the others are sent again without the named ones', async () => {
    const { outcomes, sent } = await run(byIndex('not_accepted'), ids(5), (items) => {
      const at = items.findIndex(({ id }) => id === 1 || id === 3)
      return at < 0 ? ok : { status: 400, body: JSON.stringify({ errors: [{ at, why: 'bad' }] }) }
    })
    expect(kinds(outcomes)).toEqual(['delivered', 'rejected', 'delivered', 'rejected', 'delivered'])
    expect(sent.at(-1)?.map(({ id }) => id)).toEqual([0, 2, 4])
    expect(sent).toHaveLength(3)
  })

  it('a vendor that never accepts the rest ends the rounds', async () => {
    const { outcomes, sent } = await run(byIndex('not_accepted'), ids(10), () => ({
      status: 400,
      body: '{"errors":[{"at":0,"why":"bad"}]}',
    }))
    expect(sent).toHaveLength(6)
    expect(kinds(outcomes)).toEqual([
      ...Array.from({ length: 6 }, () => 'rejected'),
      ...Array.from({ length: 4 }, () => 'retry'),
    ])
  })

  it('10,000 errors of one answer are read, and only those of sent items count', async () => {
    const errors = Array.from({ length: 10_000 }, (_, at) => ({ at: at % 20, why: `no ${at}` }))
    const { outcomes } = await run(byIndex('delivered'), ids(10), () => ({
      status: 207,
      body: JSON.stringify({ errors }),
    }))
    expect(kinds(outcomes)).toEqual(Array.from({ length: 10 }, () => 'rejected'))
  })

  it('an answer about 10,000 items is read as a whole, with a long reason for each', async () => {
    const batch = { method: 'POST', server: 'api', path: '/batch', batch: { at: 'items', max_items: 10_000 } }
    const { outcomes, sent } = await run({ requests: { batch }, ...byIndex('delivered') }, ids(10_000), (items) => ({
      status: 207,
      body: JSON.stringify({ errors: items.slice(1).map((_, at) => ({ at: at + 1, why: 'x'.repeat(250) })) }),
    }))
    expect(sent).toHaveLength(1)
    expect(outcomes.map(({ kind }) => kind === 'rejected')).toEqual(ids(10_000).map((_, at) => at > 0))
  })

  it('an answer that is cut off is not read as success', async () => {
    const { outcomes } = await run(byIndex('delivered'), ids(2), () => ({
      status: 207,
      body: `{"errors":[{"at":0,"why":"${'x'.repeat(2_000_000)}"}]}`,
    }))
    expect(kinds(outcomes)).toEqual(['retry', 'retry'])
  })
})

// github.com/getlago/lago-api, app/services/events/create_batch_service.rb: errors by the index of the event.
describe('an answer whose errors are members by index', () => {
  const more = {
    answers: {
      items: [
        {
          status: [422],
          at: 'error_details',
          by: 'name',
          reason: ['code.0', 'transaction_id.0'],
          known: { path: 'transaction_id.0', is: ['value_already_exist'] },
          others: 'not_accepted',
        },
      ],
    },
  }
  const deliver = (details: Values) =>
    run(more, ids(3), (items) =>
      items.length === 3 ? { status: 422, body: JSON.stringify({ error_details: details }) } : ok,
    )

  it('refuses the named events, and sends only the others again', async () => {
    const { outcomes, sent } = await deliver({ 1: { code: ['metric_not_found'] } })
    expect(outcomes).toEqual([
      { kind: 'delivered' },
      { kind: 'rejected', reason: 'metric_not_found' },
      { kind: 'delivered' },
    ])
    expect(sent.map((items) => items.map(({ id }) => id))).toEqual([
      [0, 1, 2],
      [0, 2],
    ])
  })

  it('does not send events again that the vendor has already', async () => {
    const there = { transaction_id: ['value_already_exist'] }
    const { outcomes, sent } = await deliver({ 0: there, 2: there })
    expect(outcomes).toEqual(ids(3).map(() => ({ kind: 'delivered' })))
    expect(sent.map((items) => items.map(({ id }) => id))).toEqual([[0, 1, 2], [1]])
  })

  it('sends events again of which it only says a warning, because none was accepted', async () => {
    const warned = byIndex('not_accepted', { delivered: { path: 'warning', is: [true] } })
    const errors = '{"errors":[{"at":0,"warning":true},{"at":1,"why":"bad"}]}'
    const { outcomes, sent } = await run(warned, ids(2), (items) =>
      items.length === 2 ? { status: 400, body: errors } : ok,
    )
    expect(outcomes).toEqual([{ kind: 'delivered' }, { kind: 'rejected', reason: 'bad' }])
    expect(sent.map((items) => items.map(({ id }) => id))).toEqual([[0, 1], [0]])
  })

  it('reads names that are no index as a refusal of the whole request', async () => {
    const { outcomes } = await run(more, ids(1), () => ({
      status: 422,
      body: '{"error_details":{"base":{"code":["no"]}}}',
    }))
    expect(outcomes).toEqual([{ kind: 'rejected', reason: 'HTTP 422' }])
  })
})
