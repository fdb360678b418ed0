import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'
import { replacePhoto } from './replace-photo.ts'

/** Removes the caller's own photo. */
export const removePhoto =
  (deps: Pick<ControlDeps, 'db' | 'clock'> & { images: Images }): Handler<typeof methods.users.removePhoto> =>
  ({ actor }) =>
    replacePhoto(deps, actor, '')
