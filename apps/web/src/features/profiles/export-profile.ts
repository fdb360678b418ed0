import { type MethodResponse, methods } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { saveJson } from '../../lib/browser/save-file.ts'
import { profileIds } from '../../lib/format/names.ts'

type Page = MethodResponse<typeof methods.profileExports.get>

/** Reads everything that is stored about a user, page after page, and saves it as a file; `profile` is a resource name. */
export const exportProfile = async (profile: string): Promise<void> => {
  const params = profileIds(profile)
  let known: Page['profile'] = null
  const events: Page['events'] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page: Page = await call(methods.profileExports.get, { params, query: { page_size: 200, page_token: token } })
    known ??= page.profile
    events.push(...page.events)
    token = page.next_page_token === '' ? undefined : page.next_page_token
  }
  saveJson(`profile-${params.profile}.json`, JSON.stringify({ profile: known, events }, undefined, 2))
}
