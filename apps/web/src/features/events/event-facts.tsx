import { useQuery } from '@tanstack/react-query'
import type { EventDetail } from '@tributary/contract'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { EnvironmentBadge } from '../../components/environment-badge.tsx'
import { paths } from '../../lib/paths.ts'
import { allSourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { Moment } from './moment.tsx'

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="py-2">
    <dt className="text-xs text-ink-3">{name}</dt>
    <dd className="flex min-w-0 items-center gap-1 text-sm">{children}</dd>
  </div>
)

const Id = ({ name, id, to }: { name: string; id: string; to?: string }) =>
  id !== '' && (
    <Row name={name}>
      {to === undefined ? (
        <code className="min-w-0 flex-1 font-mono text-xs break-all">{id}</code>
      ) : (
        <Link
          to={to}
          title="All events of this user"
          className="min-w-0 flex-1 rounded-sm font-mono text-xs break-all text-accent-ink hover:underline"
        >
          {id}
        </Link>
      )}
      <CopyButton text={id} name={`Copy ${name.toLowerCase()}`} notice={`${name} copied`} size="xs" />
    </Row>
  )

const Time = ({ name, time }: { name: string; time: string | null }) =>
  time !== null && (
    <Row name={name}>
      <Moment time={time} />
    </Row>
  )

/** The IDs and times of an event; each ID can be copied or followed. */
export const EventFacts = ({ event }: { event: EventDetail }) => {
  const workspace = useWorkspace().name
  const sources = useQuery(allSourcesQuery(workspace)).data
  const source = sources?.find(({ name }) => name === event.source)
  const ofUser = (user: string) => (user === '' ? {} : { to: paths.events(workspace, { user }) })
  return (
    <dl className="-my-2 divide-y divide-line">
      <Row name="Source">
        {source === undefined ? (
          <span className="text-ink-2">{sources === undefined ? '…' : 'Deleted source'}</span>
        ) : (
          <Link to={paths.source(source.name)} className="rounded-sm text-accent-ink break-words hover:underline">
            {source.title}
          </Link>
        )}
      </Row>
      <Row name="Environment">
        <EnvironmentBadge test={event.test} />
      </Row>
      <Id name="Message ID" id={event.message_id} />
      <Id name="User ID" id={event.user_id} {...ofUser(event.user_id)} />
      <Id name="Anonymous ID" id={event.anonymous_id} {...ofUser(event.anonymous_id)} />
      <Id name="Group ID" id={event.group_id} />
      <Id name="Previous id" id={event.previous_id} />
      <Time name="timestamp" time={event.timestamp} />
      <Time name="originalTimestamp" time={event.original_timestamp} />
      <Time name="sentAt" time={event.sent_at} />
      <Time name="receivedAt" time={event.receive_time} />
      <Id name="Event ID" id={event.event_id} />
    </dl>
  )
}
