import { describe, expect, test } from 'vitest'
import { emptyDraft, type ReplayDraft, replayBody } from './replay-scope.ts'

const now = Date.UTC(2026, 0, 2)
const of = (more: Partial<ReplayDraft>) => replayBody({ ...emptyDraft(more.kind ?? 'history'), ...more }, now)

describe('the request of the replay form', () => {
  test('the request of the replay form has a range that ends now, and only the fields that were filled in', () => {
    expect(of({})).toEqual({
      body: {
        kind: 'history',
        start_time: '2026-01-01T00:00:00.000Z',
        end_time: '2026-01-02T00:00:00.000Z',
        events_per_second: 500,
      },
    })
    const conditions = [{ id: 'aaaa', field: ' properties.total ', operator: 'exists' as const, value: '' }]
    expect(of({ event: ' Order Completed ', eventType: 'track', filter: { match: 'any', conditions } })).toMatchObject({
      body: {
        event: 'Order Completed',
        event_type: 'track',
        filter: { match: 'any', conditions: [{ field: 'properties.total' }] },
      },
    })
  })

  test('the request of the replay form has dead letters by reason, name, type, and conditions; a replay of history has no reason', () => {
    const conditions = [{ id: 'aaaa', field: 'properties.total ', operator: 'exists' as const, value: '' }]
    const draft = {
      reason: 'HTTP 400',
      event: 'Order Completed',
      eventType: 'track',
      filter: { match: 'all', conditions },
      time: 'hour',
    } as const
    const body = {
      kind: 'dead',
      start_time: '2026-01-01T23:00:00.000Z',
      end_time: '2026-01-02T00:00:00.000Z',
      reason: 'HTTP 400',
      event: 'Order Completed',
      event_type: 'track',
      filter: { match: 'all', conditions: [{ ...conditions[0], field: 'properties.total' }] },
      events_per_second: 500,
    }
    expect(of({ ...draft, kind: 'dead' })).toEqual({ body })
    const { reason: _, ...rest } = body
    expect(of({ ...draft, kind: 'history' })).toEqual({ body: { ...rest, kind: 'history' } })
  })

  test('only a replay of history leaves out the profile, and only by choice', () => {
    expect(of({ profile: 'none' })).toMatchObject({ body: { profile: 'none' } })
    for (const draft of [{}, { kind: 'dead', profile: 'none' }] as const)
      expect('body' in of(draft) && 'profile' in (of(draft) as { body: object }).body).toBe(false)
  })

  test('the request of the replay form is replaced by errors by field if a value is invalid', () => {
    expect(of({ time: 'custom' })).toEqual({ errors: { start_time: 'Required', end_time: 'Required' } })
    const day = '2026-01-01T00:00:00.000Z'
    expect(of({ time: 'custom', start: day, end: day })).toEqual({ errors: { end_time: 'Must be after the start' } })
    for (const rate of ['0', '5001', '1.5', '', 'x'])
      expect(of({ rate })).toEqual({ errors: { events_per_second: 'From 1 to 5000' } })
  })
})
