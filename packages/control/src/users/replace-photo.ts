import { audit, presentUser, userColumns } from '@tributary/api-kit'
import { resourceNames, type User } from '@tributary/contract'
import type { Actor } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'

/** Puts a stored picture, or none for an empty key, in the place of the caller's photo. */
export const replacePhoto = async (
  { db, clock, images }: Pick<ControlDeps, 'db' | 'clock'> & { images: Images },
  change: { actor: Actor; action: string; key: string },
): Promise<User> => {
  const { actor, action, key } = change
  return await images.replace(key, () =>
    db.transaction().execute(async (tx) => {
      const { photo_url } = await tx
        .selectFrom('users')
        .select('photo_url')
        .where('id', '=', actor.userId)
        .forNoKeyUpdate()
        .executeTakeFirstOrThrow()
      const row = await tx
        .updateTable('users')
        .set({ photo_url: key })
        .where('id', '=', actor.userId)
        .returning(userColumns)
        .executeTakeFirstOrThrow()
      await audit(tx, {
        actor,
        action,
        resource: resourceNames.user.format({ user: actor.userId }),
        organizationId: null,
        workspaceId: null,
        time: new Date(clock()),
      })
      return { before: photo_url, result: presentUser(row) }
    }),
  )
}
