import { useQuery } from '@tanstack/react-query'
import type { ListedOwnConnector } from '@tributary/contract'
import { Hammer, Plus } from 'lucide-react'
import { ListPage, TitleCell } from '../../../components/list-page.tsx'
import { count, pluralise } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { ownConnectorsQuery } from '../../../lib/queries/own-connector-queries.ts'
import { useMayEdit, useWorkspace } from '../../../lib/workspace.ts'
import { Badge } from '../../../ui/badge.tsx'
import { ButtonLink } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'

/** The state of an own connector, as a badge. */
export const OwnState = ({ own }: { own: Pick<ListedOwnConnector, 'current_version' | 'is_changed'> }) => {
  if (own.current_version === 0) return <Badge>Draft</Badge>
  return (
    <>
      <Badge tone="success">Version {own.current_version}</Badge>
      {own.is_changed && <Badge tone="warning">Changed draft</Badge>}
    </>
  )
}

const Row = ({ own }: { own: ListedOwnConnector }) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-5 py-3">
    <span className="min-w-0 flex-1 basis-48">
      <TitleCell icon={own.app_icon} title={own.title} to={paths.ownConnector(own.name)} />
    </span>
    <span className="flex flex-wrap items-center gap-2">
      <OwnState own={own} />
      <span className="text-xs text-ink-3">
        {count(own.destination_count)} {pluralise(own.destination_count, 'destination')} · changed{' '}
        <RelativeTime time={own.update_time} />
      </span>
    </span>
  </li>
)

/** All destinations that the workspace describes itself. */
export const OwnConnectorsPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(ownConnectorsQuery(workspace.name))
  const add = useMayEdit() === true && (
    <ButtonLink to={paths.newOwnConnector(workspace.name)} variant="primary">
      <Plus aria-hidden />
      Build a destination
    </ButtonLink>
  )
  return (
    <ListPage
      title="Your own destinations"
      description="Destinations that this workspace describes itself. Published ones are in the catalog."
      query={query}
      errorTitle="Failed to load your own destinations"
      crumbs={[{ label: 'Destinations', to: paths.destinations(workspace.name) }]}
      action={add}
      empty={{
        icon: <Hammer />,
        title: 'Build your first destination',
        text: 'Describe an API that is not in the catalog, such as from a cURL command. Try it, publish it, and use it like any other destination.',
      }}
    >
      {(owns) => (
        <Card>
          <ul aria-label="Your own destinations" className="-mx-5 -my-4 divide-y divide-line">
            {owns.map((own) => (
              <Row key={own.name} own={own} />
            ))}
          </ul>
        </Card>
      )}
    </ListPage>
  )
}
