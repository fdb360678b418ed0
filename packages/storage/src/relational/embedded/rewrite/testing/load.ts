import { setTimeout as pause } from 'node:timers/promises'
import type { Pool, QueryResult } from 'pg'

type Row = { amount: number; note: string; boss: string | null }

/** Clients that read and write people, with their acknowledged writes, their waits (ms), and errors. */
type Load = {
  pool: Pool
  acknowledged: Map<string, Row>
  waits: number[]
  faults: string[]
  isGoing(): boolean
  nextSerial(): number
  /** Runs a prepared statement of a client and records its duration. */
  ask(name: string, text: string, values: unknown[]): Promise<QueryResult>
}

const fixedSum = `select coalesce(sum(amount), 0)::int as n, count(*)::int as rows from trial.people where id like 'fixed-%'`

type Person = { id: string; row: Row }

/** Two rows swap a unique value, in a transaction that reads before it writes. */
const swapBosses = async (load: Load, one: Person, other: Person): Promise<void> => {
  const client = await load.pool.connect()
  const began = performance.now()
  try {
    await client.query('begin')
    await client.query('select amount from trial.people where id = $1', [one.id])
    await client.query('update trial.people set boss = null where id = $1', [one.id])
    await client.query('update trial.people set boss = $2 where id = $1', [other.id, one.row.boss])
    await client.query('update trial.people set boss = $2 where id = $1', [one.id, other.row.boss])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
  load.waits.push((performance.now() - began) / 3)
  load.acknowledged.set(one.id, { ...one.row, boss: other.row.boss })
  load.acknowledged.set(other.id, { ...other.row, boss: one.row.boss })
}

/** Writes rows of its own keys in every possible way, and records the acknowledged ones. */
const write = async (load: Load, own: number): Promise<void> => {
  const keys: string[] = []
  while (load.isGoing()) {
    const chance = Math.random()
    const key = keys[Math.floor(Math.random() * keys.length)]
    const n = load.nextSerial()
    const before = key === undefined ? undefined : load.acknowledged.get(key)
    try {
      if (key === undefined || before === undefined || chance < 0.3) {
        const id = `w${own}-${n}`
        await load.ask(
          'insert',
          `insert into trial.people (id, amount, note, boss, large) values ($1, $2, $3, $4, $5)`,
          [id, n, `note ${n}`, `boss ${id}`, n % 20 === 0 ? 'l'.repeat(9000) : null],
        )
        load.acknowledged.set(id, { amount: n, note: `note ${n}`, boss: `boss ${id}` })
        keys.push(id)
      } else if (chance < 0.45) {
        const note = `changed ${n}`
        await load.ask('update', 'update trial.people set amount = $2, note = $3 where part = 7 and id = $1', [
          key,
          n,
          note,
        ])
        load.acknowledged.set(key, { ...before, amount: n, note })
        const { rows } = await load.pool.query('select amount from trial.people where id = $1', [key])
        if (rows.length !== 1 || rows[0]?.amount !== n) load.faults.push(`${key} is ${JSON.stringify(rows)}, not ${n}`)
      } else if (chance < 0.6) {
        await load.ask(
          'upsert',
          `insert into trial.people (id, amount, note, boss) values ($1, $2, 'again', $3)
          on conflict (part, id) do update set amount = excluded.amount, note = excluded.note`,
          [key, n, `x${n}`],
        )
        load.acknowledged.set(key, { ...before, amount: n, note: 'again' })
      } else if (chance < 0.7) {
        await load.ask(
          'named',
          `insert into trial.people (id, amount, note, boss) values ($1, $2, 'named', $3)
          on conflict on constraint people_pkey do update set note = excluded.note, amount = excluded.amount`,
          [key, n, `y${n}`],
        )
        load.acknowledged.set(key, { ...before, amount: n, note: 'named' })
      } else if (chance < 0.8) {
        const id = `w${own}-k${n}`
        await load.ask('key', 'update trial.people set id = $2 where part = 7 and id = $1', [key, id])
        load.acknowledged.delete(key)
        load.acknowledged.set(id, before)
        keys[keys.indexOf(key)] = id
      } else if (chance < 0.9) {
        await load.ask('delete', 'delete from trial.people where part = 7 and id = $1', [key])
        load.acknowledged.delete(key)
        keys.splice(keys.indexOf(key), 1)
      } else {
        const other = keys.find((one) => one !== key)
        const theirs = other === undefined ? undefined : load.acknowledged.get(other)
        if (other === undefined || theirs === undefined) continue
        await swapBosses(load, { id: key, row: before }, { id: other, row: theirs })
      }
    } catch (error) {
      load.faults.push(`${String(error)}`)
    }
    await pause(10)
  }
}

/** Moves amounts between fixed rows: each snapshot must see the same sum. */
const move = async (load: Load): Promise<void> => {
  while (load.isGoing()) {
    const [from, to] = [1 + Math.floor(Math.random() * 50), 51 + Math.floor(Math.random() * 50)]
    await load
      .ask(
        'move',
        `update trial.people set amount = amount + case when id = $1 then -1 else 1 end where id in ($1, $2)`,
        [`fixed-${from}`, `fixed-${to}`],
      )
      .catch((error: unknown) => load.faults.push(String(error)))
    await pause(10)
  }
}

/** Reads the sum repeatedly, in one kept snapshot or in single statements. */
const read = async (load: Load, kept: boolean): Promise<void> => {
  const client = await load.pool.connect()
  while (load.isGoing()) {
    try {
      if (kept) {
        await client.query('begin isolation level repeatable read read only')
        await client.query('select from trial.teams limit 1')
        await pause(Math.random() * 60)
        for (let count = 0; count < 2; count++) {
          const { rows } = await client.query(fixedSum)
          if (rows[0]?.n !== 100_000 || rows[0]?.rows !== 100)
            load.faults.push(`a kept snapshot saw ${JSON.stringify(rows[0])}`)
        }
        await client.query('commit')
      } else {
        const { rows } = await client.query({ name: 'sum', text: fixedSum })
        if (rows[0]?.n !== 100_000 || rows[0]?.rows !== 100) load.faults.push(`a reader saw ${JSON.stringify(rows[0])}`)
      }
    } catch (error) {
      load.faults.push(String(error))
      await client.query('rollback')
    }
    await pause(kept ? 200 : 15)
  }
  client.release()
}

/** Writes rows that refer to the table. */
const writePets = async (load: Load): Promise<void> => {
  while (load.isGoing()) {
    const person = `fixed-${1 + Math.floor(Math.random() * 100)}`
    await load
      .ask('pet', 'insert into trial.pets (part, person) values (7, $1)', [person])
      .catch((error: unknown) => load.faults.push(String(error)))
    await pause(10)
  }
}

/** Starts clients that read people and write rows of their own keys, and records the acknowledged ones. */
export const startLoad = (pool: Pool, writers: number) => {
  let going = true
  let serial = 0
  const load: Load = {
    pool,
    acknowledged: new Map(),
    waits: [],
    faults: [],
    isGoing: () => going,
    nextSerial: () => ++serial,
    async ask(name, text, values) {
      const began = performance.now()
      const answer = await pool.query({ name, text, values })
      load.waits.push(performance.now() - began)
      return answer
    },
  }
  const all = [
    ...Array.from({ length: writers }, (_, own) => write(load, own)),
    move(load),
    move(load),
    read(load, true),
    read(load, true),
    read(load, false),
    writePets(load),
  ]
  const { acknowledged, waits, faults } = load
  return {
    acknowledged,
    waits,
    faults,
    stop: async () => {
      going = false
      await Promise.all(all)
    },
  }
}
