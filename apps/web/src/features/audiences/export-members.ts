import { type Audience, type MethodResponse, methods } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { saveFile } from '../../lib/browser/save-file.ts'
import { csvOf, inFileName } from '../../lib/format/csv.ts'
import { audienceIds } from '../../lib/format/names.ts'

type Page = MethodResponse<typeof methods.audiences.listMembers>

const header = ['profile', 'title', 'email', 'user_id', 'anonymous_id', 'entered']

/** Profiles as a CSV file with a header; the first identifier of each kind. */
export const membersCsv = (members: Page['members']): string => {
  const rows = members.map(({ profile, enter_time }) => {
    const first = (kind: string): string => profile.identifiers.find(({ type }) => type === kind)?.value ?? ''
    const id = profile.name.slice(profile.name.lastIndexOf('/') + 1)
    return [id, profile.title, profile.email, first('user_id'), first('anonymous_id'), enter_time]
  })
  return csvOf(header, rows)
}

/** All profiles of an audience as of the time of the first page; all pages have the same time. */
const readMembers = async (audience: string): Promise<Pick<Page, 'as_of' | 'members'>> => {
  const members: Page['members'] = []
  let asOf: string | null = null
  let token = ''
  do {
    const page: Page = await call(methods.audiences.listMembers, {
      params: audienceIds(audience),
      query: { page_size: 1000, page_token: token },
    })
    asOf = page.as_of
    members.push(...page.members)
    token = page.next_page_token
  } while (token !== '')
  return { as_of: asOf, members }
}

/** The name of a file of profiles as of a time: 'Loyal 2026-03-04T05-06-07Z.csv', valid on every file system. */
export const fileNameOf = (title: string, asOf: string | null): string => {
  const plain = inFileName(title)
  return `${asOf === null ? plain : `${plain} ${asOf.slice(0, 19).replaceAll(':', '-')}Z`}.csv`
}

/** Saves the profiles of an audience as a CSV file; the file name contains the time as of which they are members. */
export const exportMembers = async ({ name, title }: Pick<Audience, 'name' | 'title'>): Promise<void> => {
  const { as_of, members } = await readMembers(name)
  saveFile(fileNameOf(title, as_of), membersCsv(members), 'text/csv')
}
