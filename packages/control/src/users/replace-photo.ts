import { audit, presentUser, userColumns } from '@tributary/api-kit'
import { resourceNames, type User } from '@tributary/contract'
import type { Actor } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'

/** Replaces the caller's photo by the stored picture with this key. An empty key removes the photo. */
export const replacePhoto = async (
  { db, images }: Pick<ControlDeps, 'db'> & { images: Images },
  { userId }: Actor,
  key: string,
): Promise<User> => {
  return await images.replace(key, () =>
    db.transaction().execute(async (tx) => {
      const { photo_url } = await tx
        .selectFrom('users')
        .select('photo_url')
        .where('id', '=', userId)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow()
      const row = await tx
        .updateTable('users')
        .set({ photo_url: key })
        .where('id', '=', userId)
        .returning(userColumns)
        .executeTakeFirstOrThrow()
      await audit(tx, resourceNames.user.format({ user: userId }))
      return { before: photo_url, result: presentUser(row) }
    }),
  )
}
