import { mediaPath } from '@tributary/api-kit'
import { type Member, type Membership, type Role, resourceNames } from '@tributary/contract'

export type MembershipRow = {
  id: string
  organization_id: string
  user_id: string
  role: Role
  create_time: Date
  title: string
}

export type MemberRow = MembershipRow & { email: string; first_name: string; last_name: string; photo_url: string }

/** A membership as the API returns it. */
export const presentMembership = (row: MembershipRow): Membership => ({
  name: resourceNames.membership.format({ organization: row.organization_id, membership: row.id }),
  user: resourceNames.user.format({ user: row.user_id }),
  role: { value: row.role },
  organization: {
    name: resourceNames.organization.format({ organization: row.organization_id }),
    title: row.title,
    display_name: row.title,
  },
  create_time: row.create_time.toISOString(),
})

/** A membership with its user, as the API returns it. */
export const presentMember = (row: MemberRow): Member => ({
  ...presentMembership(row),
  profile: {
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    photo_url: mediaPath(row.photo_url),
  },
})
