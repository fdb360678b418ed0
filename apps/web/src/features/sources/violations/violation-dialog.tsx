import type { Violation } from '@tributary/contract'
import { ArrowRight } from 'lucide-react'
import { type ComponentProps } from 'react'
import { Link } from 'react-router'
import { propertyPath } from '../../../lib/events/property-path.ts'
import { count } from '../../../lib/format/text.ts'
import { paths } from '../../../lib/paths.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { useOpened } from '../../../ui/overlays/use-opened.ts'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { adding } from '../schema/schema-place.ts'
import { fixedHelp, problemHelp, problemTitle, violationEvent, violationPlace } from './violation-words.ts'

const Counts = ({ violation }: { violation: Violation }) => (
  <dl className="grid grid-cols-3 divide-x divide-line rounded-lg border border-line text-center">
    {(
      [
        ['24 hours', violation.last_24_hours],
        ['7 days', violation.last_7_days],
        ['30 days', violation.last_30_days],
      ] as const
    ).map(([span, value]) => (
      <div key={span} className="flex flex-col-reverse px-2 py-2.5">
        <dt className="text-xs text-ink-3">{span}</dt>
        <dd className="text-lg font-semibold tabular">{count(value)}</dd>
      </div>
    ))}
  </dl>
)

/** Names the schema version that fixed a violation, and links to it. */
export const FixedLink = ({ source, version }: { source: string; version: number }) => (
  <Link
    to={paths.sourceSchemaVersion(source, version)}
    onClick={(event) => event.stopPropagation()}
    className="rounded-sm font-medium text-success-ink underline underline-offset-3"
  >
    Fixed in v{version}
  </Link>
)

/** Whether a violation can be fixed by adding something that the schema lacks. */
export const canBeAdded = ({ problem, fixed_in_version: fixed }: Violation): boolean =>
  fixed === null && (problem === 'new_event' || problem === 'unknown')

/** A link to the schema that opens the dialog for adding the missing part. */
export const AddLink = ({
  source,
  violation,
  ...look
}: { source: string; violation: Violation } & Pick<ComponentProps<typeof ButtonLink>, 'variant' | 'size'>) => (
  <ButtonLink
    to={paths.sourceSchema(source, violationPlace(violation))}
    state={adding}
    // A click on the link must not open the details of the row, too.
    onClick={(event) => event.stopPropagation()}
    {...look}
  >
    Add to schema
  </ButtonLink>
)

/** One kind of violation: how often it occurred, its newest events, and a link to the place of the fix. */
export const ViolationDialog = ({
  violation,
  source,
  mayEdit,
  onClosed,
}: {
  violation: Violation
  source: string
  mayEdit: boolean
  onClosed: () => void
}) => {
  const { close, dialog } = useOpened(onClosed)
  const property = propertyPath(violation.property)
  const fixed = violation.fixed_in_version
  return (
    <Dialog
      {...dialog}
      title={violationEvent(violation)}
      description={
        <span className="break-words">
          {property !== '' && <code className="font-mono">{property}</code>}
          {property !== '' && ': '}
          {problemTitle(violation.problem)}, last seen <RelativeTime time={violation.last_seen_time} />
        </span>
      }
      footer={
        <>
          <Button onClick={close}>Close</Button>
          {mayEdit && canBeAdded(violation) ? (
            <AddLink source={source} violation={violation} variant="primary" />
          ) : (
            <ButtonLink variant="primary" to={paths.sourceSchema(source, violationPlace(violation))}>
              Open in schema
              <ArrowRight aria-hidden />
            </ButtonLink>
          )}
        </>
      }
    >
      <div className="space-y-5">
        {fixed === null ? (
          <p className="text-sm">{problemHelp(violation)}</p>
        ) : (
          <p className="rounded-md bg-success-soft px-3 py-2 text-sm text-success-ink">
            <FixedLink source={source} version={fixed} /> {fixedHelp(fixed)}
          </p>
        )}
        <Counts violation={violation} />
        <div>
          <h3 className="text-sm font-medium">Recent events with this violation</h3>
          {violation.sample_events.length === 0 ? (
            <p className="mt-1 text-sm text-ink-2">They are no longer stored.</p>
          ) : (
            <ul aria-label="Recent events with this violation" className="mt-1 space-y-1">
              {violation.sample_events.map((event) => (
                <li key={event}>
                  <Link
                    to={paths.event(event)}
                    className="rounded-sm font-mono text-xs break-all text-accent-ink underline-offset-3 hover:underline"
                  >
                    {event.slice(event.lastIndexOf('/') + 1)}
                  </Link>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </Dialog>
  )
}
