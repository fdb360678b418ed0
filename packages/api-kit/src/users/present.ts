import { resourceNames, type User } from '@tributary/contract'
import type { UsersTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { mediaPath } from '../media-path.ts'

export type UserRow = Pick<
  Selectable<UsersTable>,
  'id' | 'email' | 'first_name' | 'last_name' | 'photo_url' | 'create_time' | 'is_admin'
>

/** Columns of a user for API responses. */
export const userColumns = ['id', 'email', 'first_name', 'last_name', 'photo_url', 'create_time', 'is_admin'] as const

/** A user as the API returns it. */
export const presentUser = (row: UserRow): User => ({
  name: resourceNames.user.format({ user: row.id }),
  id: row.id,
  email: row.email,
  first_name: row.first_name,
  last_name: row.last_name,
  photo_url: mediaPath(row.photo_url),
  create_time: row.create_time.toISOString(),
  is_admin: row.is_admin,
})

/** First and last name, or the email address of a user without names. */
export const displayName = (row: Pick<UserRow, 'email' | 'first_name' | 'last_name'>): string =>
  `${row.first_name} ${row.last_name}`.trim() || row.email
