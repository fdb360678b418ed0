import { useQuery } from '@tanstack/react-query'
import type { Profile } from '@tributary/contract'
import { useParams } from 'react-router'
import { DetailPage } from '../../components/detail-page.tsx'
import { count, pluralise } from '../../lib/format/text.ts'
import { useFlag } from '../../lib/integrations/flags.ts'
import { paths } from '../../lib/paths.ts'
import { profileQuery } from '../../lib/queries/profile-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Badge } from '../../ui/badge.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AudiencesTab } from './audiences-tab.tsx'
import { EventsTab } from './events-tab.tsx'
import { ForgetActions } from './forget-actions.tsx'
import { HistoryTab } from './history-tab.tsx'
import { IdentifiersTab } from './identifiers-tab.tsx'
import { TraitsTab } from './traits-tab.tsx'

const ProfileView = ({ item: profile }: { item: Profile }) => {
  const workspace = useWorkspace()
  const audiences = useFlag('audiences')
  return (
    <>
      <PageHeader
        title={profile.title}
        description={
          <>
            {profile.email !== '' && profile.email !== profile.title && `${profile.email} · `}First seen{' '}
            <RelativeTime time={profile.create_time} />
            {profile.masked && ' · Guests see values masked'}
          </>
        }
        icon={<Avatar title={profile.title} size="md" />}
        crumbs={[{ label: 'Profiles', to: paths.profiles(workspace.name) }]}
        action={<ForgetActions profile={profile} />}
      />
      <Tabs
        browsable
        label="Profile"
        tabs={[
          { id: 'traits', name: 'Traits', content: <TraitsTab profile={profile} /> },
          {
            id: 'identifiers',
            name: 'Identifiers',
            hash: 'identifiers',
            badge: (
              <Badge title={`${count(profile.identifier_count)} ${pluralise(profile.identifier_count, 'identifier')}`}>
                {count(profile.identifier_count)}
              </Badge>
            ),
            content: <IdentifiersTab profile={profile} />,
          },
          { id: 'events', name: 'Events', hash: 'events', content: <EventsTab profile={profile.name} /> },
          ...(audiences
            ? [
                {
                  id: 'audiences',
                  name: 'Audiences',
                  hash: 'audiences',
                  content: <AudiencesTab profile={profile} />,
                },
              ]
            : []),
          { id: 'history', name: 'History', hash: 'history', content: <HistoryTab profile={profile} /> },
        ]}
      />
    </>
  )
}

/** The page of a profile: its traits, identifiers, events, and history. */
export const ProfilePage = () => {
  const workspace = useWorkspace()
  const { profileId } = useParams()
  const query = useQuery(profileQuery(`${workspace.name}/profiles/${profileId ?? ''}`))
  return <DetailPage query={query} errorTitle="Failed to load the profile" View={ProfileView} />
}
