import type { OutgoingEvent } from '@tributary/connector-kit'

/** Expressions of a warehouse for the queries of analysts. */
export type AnalystForms = {
  column(name: string): string
  /** A column of times, as text in the form `2026-01-02 03:04:05.678` in UTC. */
  time(column: string): string
  /** A column of times, as whole seconds since 1970. */
  seconds(column: string): string
}

type Given = Record<string, unknown>
type Made = { type: OutgoingEvent['type']; event: string; user: string; at: number; values: Given; group?: string }
type Answer = readonly (readonly (string | number | null)[])[]

/** A question of an analyst: its SQL, and the answer of a plain evaluation of the events. */
export type AnalystQuestion = { title: string; sql(forms: AnalystForms): string; answer(made: readonly Made[]): Answer }

const start = Date.UTC(2026, 2, 1, 6)
const hour = 3_600_000

/** Returns numbers from 0 to before `most`, always the same ones. */
const createRandom = (): ((most: number) => number) => {
  let seed = 42
  return (most) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * most)
  }
}

/** Makes the events of a small shop over ten days. Times of one user differ. */
export const makeShopEvents = (): Made[] => {
  const random = createRandom()
  const made: Made[] = []
  for (let user = 0; user < 12; user++) {
    const name = `u${user}`
    let at = start + random(48) * hour
    const add = (type: Made['type'], event: string, values: Given, group?: string): void => {
      at += 60_000 * (1 + random(70)) + random(1000)
      made.push({ type, event, user: name, at, values, ...(group === undefined ? {} : { group }) })
    }
    add('identify', '', { plan: random(2) === 0 ? 'free' : 'pro', age: 20 + random(40) })
    add('group', '', { name: `Company ${user % 3}`, seats: 5 + (user % 3) }, `g${user % 3}`)
    for (let round = 0; round < 4; round++) {
      add('page', ['Home', 'Shop', 'Help'][random(3)] ?? 'Home', { url: `https://shop.example/${random(5)}` })
      add('track', 'Product Added', { sku: `s${random(6)}`, price: (100 + random(900)) / 100 })
      if (random(2) === 0)
        add('track', 'Order Completed', { total: (500 + random(9500)) / 100, coupon: random(3) === 0 })
      at += random(60) * hour
    }
    add('identify', '', { plan: 'pro' })
  }
  return made
}

/** Returns the events as delivery passes them on. */
export const shopEvents = (made: readonly Made[]): OutgoingEvent[] =>
  made.map(({ type, event, user, at, values, group }, number) => {
    const time = new Date(at).toISOString()
    const full = {
      eventId: `1-${number}-0`,
      messageId: `shop-${number}`,
      type,
      event,
      userId: user,
      ...(group === undefined ? {} : { groupId: group }),
      [type === 'identify' || type === 'group' ? 'traits' : 'properties']: values,
      context: {},
      receivedAt: time,
      timestamp: time,
    }
    return {
      eventId: full.eventId,
      messageId: full.messageId,
      type,
      event,
      json: JSON.stringify(full),
      action: 'write_event',
    }
  })

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)
const isOrder = ({ event }: Made): boolean => event === 'Order Completed'
const isTrack = ({ type }: Made): boolean => type === 'track'
const cents = (value: unknown): number => Math.round(Number(value) * 100)
const totalOf = (some: readonly Made[]): number => some.reduce((sum, { values }) => sum + cents(values.total), 0) / 100
const groupsOf = <K>(some: readonly Made[], key: (each: Made) => K): [K, Made[]][] => [...Map.groupBy(some, key)]
const byFirst = (a: readonly (string | number | null)[], b: readonly (string | number | null)[]): number =>
  String(a[0]) < String(b[0]) ? -1 : 1

const sessionGap = 1800

/** Ten questions about the events of the shop. Numbers are compared as numbers. */
export const analystQuestions: readonly AnalystQuestion[] = [
  {
    title: 'active users by day',
    sql: ({ column, time }) =>
      `SELECT substring(${time('timestamp')}, 1, 10) AS day, count(DISTINCT ${column('user_id')}) AS users FROM {tracks} GROUP BY 1 ORDER BY 1`,
    answer: (made) =>
      groupsOf(made.filter(isTrack), ({ at }) => dayOf(at))
        .map(([day, some]) => [day, new Set(some.map(({ user }) => user)).size] as const)
        .toSorted(byFirst),
  },
  {
    title: 'events by name',
    sql: ({ column }) =>
      `SELECT ${column('event_text')} AS name, count(*) AS events FROM {tracks} GROUP BY 1 ORDER BY 1`,
    answer: (made) =>
      groupsOf(made.filter(isTrack), ({ event }) => event)
        .map(([event, some]) => [event, some.length] as const)
        .toSorted(byFirst),
  },
  {
    title: 'revenue by user',
    sql: ({ column }) =>
      `SELECT ${column('user_id')} AS name, count(*) AS orders, sum(${column('total')}) AS revenue FROM {order_completed} GROUP BY 1 ORDER BY 1`,
    answer: (made) =>
      groupsOf(made.filter(isOrder), ({ user }) => user)
        .map(([user, some]) => [user, some.length, totalOf(some)] as const)
        .toSorted(byFirst),
  },
  {
    title: 'a funnel from product to order',
    sql: ({ column, seconds }) =>
      `SELECT count(DISTINCT a.${column('user_id')}) AS added, count(DISTINCT o.${column('user_id')}) AS ordered
  FROM (SELECT ${column('user_id')}, min(${seconds('timestamp')}) AS moment FROM {product_added} GROUP BY 1) AS a
  LEFT JOIN (SELECT ${column('user_id')}, max(${seconds('timestamp')}) AS moment FROM {order_completed} GROUP BY 1) AS o
    ON o.${column('user_id')} = a.${column('user_id')} AND o.moment > a.moment`,
    answer: (made) => {
      const added = groupsOf(
        made.filter(({ event }) => event === 'Product Added'),
        ({ user }) => user,
      )
      const ordered = added.filter(([user, some]) => {
        const first = Math.floor(Math.min(...some.map(({ at }) => at)) / 1000)
        return made.some((each) => isOrder(each) && each.user === user && Math.floor(each.at / 1000) > first)
      })
      return [[added.length, ordered.length]]
    },
  },
  {
    title: 'sessions by user',
    sql: ({ column, seconds }) =>
      `SELECT ${column('user_id')} AS name, sum(CASE WHEN earlier IS NULL OR moment - earlier > ${sessionGap} THEN 1 ELSE 0 END) AS sessions
  FROM (SELECT ${column('user_id')}, moment, min(moment) OVER (PARTITION BY ${column('user_id')} ORDER BY moment ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS earlier, row_number() OVER (PARTITION BY ${column('user_id')} ORDER BY moment) AS place
    FROM (SELECT ${column('user_id')}, ${seconds('timestamp')} AS moment FROM {tracks}) AS timed) AS ordered
  GROUP BY 1 ORDER BY 1`,
    answer: (made) =>
      groupsOf(made.filter(isTrack), ({ user }) => user)
        .map(([user, some]) => {
          const times = some.map(({ at }) => Math.floor(at / 1000)).toSorted((a, b) => a - b)
          return [
            user,
            times.filter((at, place) => place === 0 || at - (times[place - 1] ?? 0) > sessionGap).length,
          ] as const
        })
        .toSorted(byFirst),
  },
  {
    title: 'retention after a day',
    sql: ({ column, time, seconds }) =>
      `SELECT count(*) AS users, sum(CASE WHEN days > 1 THEN 1 ELSE 0 END) AS retained
  FROM (SELECT ${column('user_id')}, count(DISTINCT substring(${time('timestamp')}, 1, 10)) AS days, min(${seconds('timestamp')}) AS first FROM {pages} GROUP BY 1) AS seen`,
    answer: (made) => {
      const seen = groupsOf(
        made.filter(({ type }) => type === 'page'),
        ({ user }) => user,
      )
      return [[seen.length, seen.filter(([, some]) => new Set(some.map(({ at }) => dayOf(at))).size > 1).length]]
    },
  },
  {
    title: 'the first page of each user',
    sql: ({ column, seconds }) =>
      `SELECT ${column('user_id')} AS person, ${column('name')} AS page FROM (SELECT ${column('user_id')}, ${column('name')}, row_number() OVER (PARTITION BY ${column('user_id')} ORDER BY ${seconds('timestamp')}) AS place FROM {pages}) AS ordered WHERE place = 1 ORDER BY 1`,
    answer: (made) =>
      groupsOf(
        made.filter(({ type }) => type === 'page'),
        ({ user }) => user,
      )
        .map(([user, some]) => [user, some.toSorted((a, b) => a.at - b.at)[0]?.event ?? null] as const)
        .toSorted(byFirst),
  },
  {
    title: 'revenue by the plan of now',
    sql: ({ column }) =>
      `SELECT u.${column('plan')} AS plan, count(DISTINCT u.${column('id')}) AS users, sum(o.${column('total')}) AS revenue FROM {users} AS u JOIN {order_completed} AS o ON o.${column('user_id')} = u.${column('id')} GROUP BY 1 ORDER BY 1`,
    answer: (made) => {
      const orders = made.filter(isOrder)
      return [['pro', new Set(orders.map(({ user }) => user)).size, totalOf(orders)]]
    },
  },
  {
    title: 'users by company',
    sql: ({ column }) =>
      `SELECT ${column('group_id')} AS id, count(DISTINCT ${column('user_id')}) AS users, max(${column('seats')}) AS seats FROM {groups} GROUP BY 1 ORDER BY 1`,
    answer: (made) =>
      groupsOf(
        made.filter(({ type }) => type === 'group'),
        ({ group }) => group ?? '',
      )
        .map(([id, some]) => [id, some.length, Number(some[0]?.values.seats)] as const)
        .toSorted(byFirst),
  },
  {
    title: 'revenue as it adds up by day',
    sql: ({ column, time }) =>
      `SELECT day, sum(revenue) OVER (ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS total FROM (SELECT substring(${time('timestamp')}, 1, 10) AS day, sum(${column('total')}) AS revenue FROM {order_completed} GROUP BY 1) AS days ORDER BY 1`,
    answer: (made) => {
      const orders = made.filter(isOrder)
      return [...new Set(orders.map(({ at }) => dayOf(at)))]
        .toSorted()
        .map((day) => [day, totalOf(orders.filter(({ at }) => dayOf(at) <= day))] as const)
    },
  },
]

/** Returns the rows of a query in the form of the answers: in the order of `columns`, numbers as numbers. */
export const answerOf = (rows: readonly Given[], expected: Answer): Answer =>
  rows.map((row) =>
    Object.values(row).map((value, at) => {
      if (value === null || value === undefined) return null
      return typeof expected[0]?.[at] === 'number'
        ? Math.round(Number(value) * 1e6) / 1e6
        : JSON.stringify(value).replaceAll('"', '')
    }),
  )
