import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'
import { countUpload } from '../images/upload-limit.ts'
import { replacePhoto } from './replace-photo.ts'

/** Replaces the caller's own photo. */
export const uploadPhoto =
  (
    deps: Pick<ControlDeps, 'db' | 'clock' | 'counters'> & { images: Images },
  ): Handler<typeof methods.users.uploadPhoto> =>
  async ({ actor, body }) => {
    await countUpload(deps.counters, actor.userId)
    const key = await deps.images.store('photos', body.content)
    return await replacePhoto(deps, actor, key)
  }
