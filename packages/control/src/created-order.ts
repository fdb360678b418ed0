import { createdCursor, createdCursorOf, newerThan, olderThan, openPage } from '@tributary/api-kit'
import { type SelectQueryBuilder, sql } from 'kysely'

type List = {
  /** The name of the method. */
  name: string
  /** The table whose rows are listed. */
  table: string
  params: Parameters<typeof openPage>[1]
  query: Parameters<typeof openPage>[2]
}

const pagesIn =
  (order: 'asc' | 'desc') =>
  async <Tables, From extends keyof Tables, Row extends { create_time: Date; id: string }>(
    { name, table, params, query }: List,
    select: SelectQueryBuilder<Tables, From, Row>,
  ): Promise<{ rows: Row[]; next: string }> => {
    const page = openPage(name, params, query, createdCursor)
    const isAfter = order === 'asc' ? newerThan : olderThan
    const found = await select
      .where(isAfter(table, page.after))
      .orderBy(sql.ref(`${table}.create_time`), order)
      .orderBy(sql.ref(`${table}.id`), order)
      .limit(page.size + 1)
      .execute()
    return page.cut(found as Row[], createdCursorOf)
  }

/** A page of the rows that a method lists, newest first. */
export const newestFirst = pagesIn('desc')

/** A page of the rows that a method lists, oldest first. */
export const oldestFirst = pagesIn('asc')
