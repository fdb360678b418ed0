import { useQuery } from '@tanstack/react-query'
import type { ListedOwnConnectorVersion, OwnConnector } from '@tributary/contract'
import { useState } from 'react'
import { QueryView } from '../../../components/query-view.tsx'
import { ownVersionQuery, ownVersionsQuery } from '../../../lib/queries/own-connector-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code/code-block.tsx'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'
import { EmptyState } from '../../../ui/page/empty-state.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import type { Texts } from './own-draft.ts'
import { useExportOwn } from './own-mutations.ts'

const VersionDialog = ({
  own,
  version,
  onRestore,
  onClose,
}: {
  own: OwnConnector
  version: number
  /** Absent for readers. */
  onRestore: ((texts: Texts) => void) | undefined
  onClose: () => void
}) => {
  const query = useQuery(ownVersionQuery(own.name, version))
  const exported = useExportOwn(own.name)
  const { data } = query
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title={`Version ${version}`}
      footer={
        onRestore !== undefined && (
          <>
            <Button loading={exported.isPending} onClick={() => exported.mutate(version)}>
              Export
            </Button>
            <Button
              variant="primary"
              disabled={data === undefined}
              onClick={() => {
                if (data === undefined) return
                onRestore({ description: data.description, guide: data.guide })
                notify('success', `Version ${version} Restored`, { description: 'Save the draft to keep it.' })
                onClose()
              }}
            >
              Restore as draft
            </Button>
          </>
        )
      }
    >
      <QueryView query={query} skeleton={<CardSkeleton lines={6} />} errorTitle="Failed to load the version">
        {({ description, guide }) => (
          <CodeBlock
            label="Part"
            codes={[
              { title: 'Description', language: 'json', text: description },
              ...(guide === '' ? [] : [{ title: 'Guide', language: 'text', text: guide }]),
            ]}
            className="max-h-[60dvh]"
          />
        )}
      </QueryView>
    </Dialog>
  )
}

const Row = ({
  row,
  isCurrent,
  onView,
}: {
  row: ListedOwnConnectorVersion
  isCurrent: boolean
  onView: () => void
}) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-3 text-sm">
    <span className="min-w-0 flex-1 basis-40">
      <span className="flex items-center gap-2 font-medium">
        Version {row.version}
        {isCurrent && <Badge tone="success">Current</Badge>}
      </span>
      <span className="block text-xs text-ink-3">
        <RelativeTime time={row.create_time} />
        {row.created_by !== '' && ` by ${row.created_by}`}
      </span>
      {row.note !== '' && <span className="block break-words text-ink-2">{row.note}</span>}
    </span>
    <Button size="sm" onClick={onView} aria-label={`View version ${row.version}`}>
      View
    </Button>
  </li>
)

/** The published versions, each with its texts and a way back to it. */
export const VersionsPanel = ({
  own,
  onRestore,
}: {
  own: OwnConnector
  onRestore: ((texts: Texts) => void) | undefined
}) => {
  const query = useQuery(ownVersionsQuery(own.name))
  const [viewed, view] = useState<number>()
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load the versions">
      {(versions) => (
        <>
          {versions.length === 0 ? (
            <EmptyState title="Not published yet" className="py-8">
              With the first version, it is in the catalog. Each later version replaces the one before in all
              destinations.
            </EmptyState>
          ) : (
            <ul aria-label="Versions" className="divide-y divide-line">
              {versions.map((row) => (
                <Row
                  key={row.name}
                  row={row}
                  isCurrent={row.version === own.current_version}
                  onView={() => view(row.version)}
                />
              ))}
            </ul>
          )}
          {viewed !== undefined && (
            <VersionDialog own={own} version={viewed} onRestore={onRestore} onClose={() => view(undefined)} />
          )}
        </>
      )}
    </QueryView>
  )
}
