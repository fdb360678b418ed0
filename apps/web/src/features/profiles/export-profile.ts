import { type MethodResponse, methods } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { saveJson } from '../../lib/browser/save-file.ts'
import { profileIds } from '../../lib/format/names.ts'

type Page = MethodResponse<typeof methods.profileExports.get>

/** Loads everything that is stored about a user, page by page, and saves it as a file; `profile` is a resource name. */
export const exportProfile = async (profile: string): Promise<void> => {
  const params = profileIds(profile)
  let person: Omit<Page, 'events' | 'next_page_token'> | undefined
  const events: Page['events'] = []
  for (let token: string | undefined = ''; token !== undefined; ) {
    const {
      events: some,
      next_page_token,
      ...first
    }: Page = await call(methods.profileExports.get, {
      params,
      query: { page_size: 200, page_token: token },
    })
    person ??= first
    events.push(...some)
    token = next_page_token === '' ? undefined : next_page_token
  }
  saveJson(`profile-${params.profile}.json`, JSON.stringify({ ...person, events }, undefined, 2))
}
