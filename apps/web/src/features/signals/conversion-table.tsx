import { type Conversion, signalPlatformTitles } from '@tributary/contract'
import { useState } from 'react'
import { Link } from 'react-router'
import { sentence } from '../../lib/format/text.ts'
import { localTime } from '../../lib/format/time.ts'
import { paths } from '../../lib/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useOpened } from '../../ui/overlays/use-opened.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { identifiersText, money, originTitles, reasonText, statusTitles, statusTones } from './signal-words.ts'

/** The first reason from a platform of a conversion; '' if there is none. */
const firstReason = ({ platforms }: Conversion): string =>
  reasonText(platforms.find(({ reason }) => reason !== '')?.reason ?? '')

const columns: readonly Column<Conversion>[] = [
  {
    id: 'event',
    header: 'Event ID',
    cell: (row) => {
      const reason = firstReason(row)
      return (
        <span className="block min-w-0 py-1.5">
          <span className="flex items-center gap-2">
            <span className="min-w-0 truncate font-mono text-xs font-medium" title={row.event_id}>
              {row.event_id}
            </span>
            {row.test && <Badge tone="accent">Test</Badge>}
          </span>
          {reason !== '' && (
            <span className="block truncate text-xs text-ink-2" title={reason}>
              {reason}
            </span>
          )}
        </span>
      )
    },
  },
  {
    id: 'origin',
    header: 'From',
    cell: ({ origin }) => <span className="text-ink-2">{originTitles[origin]}</span>,
    width: 'sm:w-28',
    wide: 'lg',
  },
  {
    id: 'platforms',
    header: 'Platforms',
    cell: ({ platforms }) => (
      <span className="flex flex-wrap gap-1 py-2">
        {platforms.map(({ destination, title, platform, status }) => (
          <Badge key={destination} tone={statusTones[status]} title={`${title}: ${statusTitles[status]}`}>
            {signalPlatformTitles[platform]}
            <span className="sr-only">: {statusTitles[status]}</span>
          </Badge>
        ))}
      </span>
    ),
    width: 'sm:w-72',
  },
  {
    id: 'value',
    header: 'Value',
    cell: ({ value, currency }) =>
      value === null ? <span className="text-ink-3">–</span> : money({ amount: value, currency }),
    align: 'right',
    width: 'sm:w-28',
    wide: true,
  },
  {
    id: 'time',
    header: 'Time',
    cell: ({ event_time }) => <RelativeTime time={event_time} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-32',
    wide: true,
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ id }: Conversion): string => id

const Fact = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <div className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 py-1.5 text-sm">
    <dt className="text-ink-3">{title}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
)

const link = 'rounded-sm text-accent-ink hover:underline'

const Details = ({ conversion, onClosed }: { conversion: Conversion; onClosed: () => void }) => {
  const { close, dialog } = useOpened(onClosed)
  const { id, event_id, origin, event, event_time, create_time, value, currency, platforms } = conversion
  return (
    <Dialog {...dialog} title="Conversion" footer={<Button onClick={close}>Close</Button>}>
      <div className="space-y-5">
        <dl>
          <Fact title="Event ID">
            <span className="flex items-center gap-2">
              <span className="min-w-0 font-mono text-xs break-all">{event_id}</span>
              <CopyButton text={event_id} name="Copy event ID" notice="Event ID copied" size="xs" />
            </span>
          </Fact>
          <Fact title="From">
            {originTitles[origin]}
            {event !== '' && (
              <>
                {' · '}
                <Link to={paths.event(event)} className={link}>
                  Open event
                </Link>
              </>
            )}
          </Fact>
          <Fact title="Event time">{localTime(event_time)}</Fact>
          <Fact title="Made">{localTime(create_time)}</Fact>
          <Fact title="Value">{value === null ? 'None' : money({ amount: value, currency })}</Fact>
        </dl>
        <ul aria-label="Outcomes" className="divide-y divide-line border-y border-line">
          {platforms.map(({ destination, title, status, reason, identifiers }) => (
            <li key={destination} className="space-y-1 py-3 text-sm">
              <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <span className="min-w-0 flex-1 font-medium break-words">{title}</span>
                <Badge tone={statusTones[status]}>{statusTitles[status]}</Badge>
                {status !== 'not_sent' && (
                  <Link
                    to={paths.deliveries(destination, '', { event_id: id })}
                    aria-label={`Deliveries to ${title}`}
                    className={link}
                  >
                    Deliveries
                  </Link>
                )}
              </p>
              {reason !== '' && <p className="break-words text-ink-2">{sentence(reasonText(reason))}</p>}
              <p className="break-words text-ink-3">
                {identifiers.length === 0 ? 'No identifiers' : `Matched by: ${identifiersText(identifiers)}`}
              </p>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

/** Conversions with their outcome at each platform; a row opens its details. */
export const ConversionTable = ({ label, conversions }: { label: string; conversions: readonly Conversion[] }) => {
  const [shown, setShown] = useState<Conversion | undefined>()
  return (
    <>
      <DataTable label={label} columns={columns} rows={conversions} rowId={idOf} onRow={setShown} />
      {shown !== undefined && <Details conversion={shown} onClosed={() => setShown(undefined)} />}
    </>
  )
}
