import type { EventStore } from '@tributary/storage'

const dayMs = 86_400_000

/** The contents with which an event store is filled. */
type Filling = {
  /** Total number of rows. Six of ten belong to the first workspace, and half of those to its first source. */
  events: number
  /** Number of rows that an earlier call with the same values has inserted. */
  there?: number
  /** Three workspaces, each with the ids of four sources. */
  workspaces: readonly { id: string; sources: readonly string[] }[]
  /** The time of the newest event, in epoch ms; the oldest event is `days` earlier. */
  until: number
  days: number
  /**
   * SQL expressions for the user IDs and devices of `person`, a number below 200,000. The default IDs match no other
   * data.
   */
  ids?: { user: string; device: string }
}

const rowsPerInsert = 250_000

/**
 * SQL expressions for the columns of an event by its number. A hash of the number decides the values, so that a number
 * always gives the same event. Numbers are in the order of receipt, so that an insert covers a span of time, like the
 * inserts of the pipeline. `original` has about 650 bytes.
 */
const columns = `
  workspace_id, source_id, event_id, message_id, type, event, user_id, anonymous_id, test, status, reason, compatibility,
  schema_version, problems, receive_time, timestamp, original_timestamp, sent_at, ip, properties, traits, context, original`

/** Expressions for users and devices that no other data has. */
const anybody = { user: "concat('user-', toString(person))", device: 'lower(hex(sipHash64(toString(person))))' }

const rowsOf = ({ user, device }: { user: string; device: string }): string => `
  with
    sipHash64(number) as h,
    h % 10 as w,
    multiIf(w < 6, 1, w < 8, 2, 3) as workspace,
    intDiv(h, 10) % 100 as t,
    multiIf(t < 78, 'track', t < 88, 'page', t < 96, 'identify', t < 98, 'screen', 'group') as kind,
    ['Product Viewed', 'Product Added', 'Cart Viewed', 'Checkout Started', 'Order Completed', 'Search Performed',
     'Signed In', 'Signed Out', 'Button Clicked', 'Video Played', 'Video Paused', 'Coupon Applied'] as names,
    -- Of two numbers the smaller one: the first names are the frequent ones.
    least(intDiv(h, 1000) % 12, intDiv(h, 12000) % 12) + 1 as place,
    multiIf(kind = 'track', names[place], kind in ('page', 'screen'), 'Home', '') as name,
    intDiv(h, 7) % 200000 as person,
    ${user} as user,
    ${device} as device,
    lower(concat(hex(sipHash64(number, 1)), hex(sipHash64(number, 2)))) as message,
    fromUnixTimestamp64Milli({from:Int64} + toInt64(number * {step:Float64})) as at,
    concat(formatDateTime(at, '%Y-%m-%dT%H:%i:%S'), '.000Z') as time,
    ['free', 'starter', 'team', 'business', 'enterprise'][intDiv(h, 31) % 5 + 1] as plan,
    concat('{"orderId":"ord-', toString(number), '","total":', toString((intDiv(h, 17) % 50000) / 100),
      ',"currency":"', ['EUR', 'USD', 'GBP'][intDiv(h, 13) % 3 + 1], '","plan":"', plan,
      '","quantity":', toString(intDiv(h, 19) % 9 + 1), ',"coupon":null,"returning":', if(h % 2 = 0, 'true', 'false'),
      ',"category":"category-', toString(intDiv(h, 23) % 40), '","sku":"sku-', toString(intDiv(h, 29) % 5000), '"}') as body,
    concat('{"email":"', user, '@example.com","plan":"', plan, '","age":', toString(intDiv(h, 37) % 80 + 10), '}') as who,
    '{"library":{"name":"analytics.js","version":"2.1.0"},"userAgent":"Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36","page":{"path":"/checkout/done","url":"https://shop.example.com/checkout/done","title":"Thank you"},"locale":"en-GB"}' as around,
    multiIf(h % 50 = 0, 'rejected', h % 50 = 1, 'blocked', 'accepted') as state,
    multiIf(state = 'rejected' or kind not in ('track', 'identify'), '', h % 20 = 1, 'incompatible', h % 20 < 5, 'needsAttention', 'compatible') as fit
  select
    {workspaces:Array(String)}[workspace],
    {sources:Array(String)}[(workspace - 1) * 4 + if(intDiv(h, 3) % 2 = 0, 1, intDiv(h, 41) % 3 + 2)],
    concat('000-', leftPad(toString(number), 12, '0'), '-000'),
    message, kind, name,
    if(h % 5 = 0, '', user), device, h % 100 = 3,
    state, if(state = 'rejected', 'invalid_event_name: The name must be a string.', ''),
    fit, if(fit = '', 0, 3), if(fit = 'needsAttention', [('total', 'type'), ('coupon', 'unknown')], []),
    at, at, at, at, '203.0.113.7',
    if(kind = 'identify' or state = 'rejected', '{}', body)::JSON(max_dynamic_paths=256),
    if(kind = 'identify' and state != 'rejected', who, '{}')::JSON(max_dynamic_paths=128),
    around,
    concat('{"type":"', kind, '","event":"', name, '","messageId":"', message, '","userId":"', user, '","anonymousId":"', device,
      '","timestamp":"', time, '","', if(kind = 'identify', concat('traits":', who), concat('properties":', body)),
      ',"context":', around, '}')
  from numbers({offset:UInt64}, {count:UInt64})`

/** Number of concurrent inserts; each uses one thread. */
const inserters = 2

/** Fills the table `events` from numbers that the event store generates, so that no rows must be sent. */
export const fillEventStore = async (store: EventStore, filling: Filling): Promise<void> => {
  const span = filling.days * dayMs
  let offset = filling.there ?? 0
  const insertOn = async (): Promise<void> => {
    while (offset < filling.events) {
      const from = offset
      offset += rowsPerInsert
      await store.command(`insert into events (${columns}) ${rowsOf(filling.ids ?? anybody)}`, {
        workspaces: filling.workspaces.map(({ id }) => id),
        sources: filling.workspaces.flatMap(({ sources }) => sources),
        from: filling.until - span,
        step: span / filling.events,
        offset: from,
        count: Math.min(rowsPerInsert, filling.events - from),
      })
    }
  }
  await Promise.all(Array.from({ length: inserters }, insertOn))
}
