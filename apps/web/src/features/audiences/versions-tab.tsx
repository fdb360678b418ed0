import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Audience, AudienceVersion } from '@tributary/contract'
import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { failureText } from '../../lib/api/errors.ts'
import { count } from '../../lib/format/text.ts'
import { audienceVersionQuery, audienceVersionsQuery } from '../../lib/queries/audience-queries.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { SlideOver } from '../../ui/overlays/slide-over.tsx'
import { CardSkeleton, TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { listChangeText } from './audience-words.ts'
import { Sentence } from './builder/estimate-panel.tsx'
import { useRestoreVersion } from './mutations.ts'

const authorOf = ({ author }: AudienceVersion): string => (author === '' ? 'A former member' : author)

const columnsFor = (current: number): readonly Column<AudienceVersion>[] => [
  {
    id: 'version',
    header: 'Version',
    cell: ({ version, title, restored_version, list }) => (
      <span className="block min-w-0 py-1.5">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium">Version {count(version)}</span>
          {version === current && <Badge tone="success">Current</Badge>}
          {restored_version !== null && <Badge>Version {count(restored_version)} restored</Badge>}
        </span>
        <span title={title} className="block truncate text-xs text-ink-3">
          {title}
        </span>
        {list !== null && <span className="block text-xs break-words text-ink-2">{listChangeText(list)}</span>}
      </span>
    ),
  },
  {
    id: 'author',
    header: 'Changed by',
    cell: (version) => <span className="truncate text-ink-2">{authorOf(version)}</span>,
    width: 'sm:w-48',
    wide: true,
  },
  {
    id: 'time',
    header: 'Changed',
    cell: ({ create_time }) => <RelativeTime time={create_time} className="text-ink-2" />,
    align: 'right',
    width: 'sm:w-36',
    className: 'whitespace-nowrap',
  },
]

const idOf = ({ name }: AudienceVersion): string => name

const VersionDetail = ({
  audience,
  version,
  onRestored,
}: {
  audience: Audience
  version: AudienceVersion
  onRestored: () => void
}) => {
  const query = useQuery(audienceVersionQuery(audience.name, version.version))
  const [asks, setAsks] = useState(false)
  const restore = useRestoreVersion(audience)
  const mayRestore = useMayEdit() === true && version.version !== audience.version
  return (
    <div className="space-y-4">
      <p className="text-sm text-ink-2">
        Changed by {authorOf(version)} <RelativeTime time={version.create_time} />.
      </p>
      <h3 className="font-medium break-words">{version.title}</h3>
      {version.list !== null && <p className="text-sm break-words">{listChangeText(version.list)}.</p>}
      <QueryView query={query} skeleton={<CardSkeleton lines={3} />} errorTitle="Failed to load the version">
        {(found) => <Sentence query={found.query} />}
      </QueryView>
      {mayRestore && (
        <Button variant="primary" onClick={() => setAsks(true)}>
          <History aria-hidden />
          Restore this version
        </Button>
      )}
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        kind="info"
        title={`Restore version ${count(version.version)}?`}
        confirmLabel="Restore"
        loading={restore.isPending}
        error={restore.isError ? failureText(restore.error) : undefined}
        onConfirm={() => restore.mutate(version.version, { onSuccess: onRestored })}
      >
        This saves a new version with the title and the conditions or the list of version {count(version.version)}, and
        computes the audience again. The current version stays in the list.
      </ConfirmDialog>
    </div>
  )
}

/** The versions of an audience: author, time, and a way to restore each. */
export const VersionsTab = ({ audience }: { audience: Audience }) => {
  const [shown, setShown] = useState<AudienceVersion>()
  const [open, setOpen] = useState(false)
  const query = useInfiniteQuery(audienceVersionsQuery(audience.name, audience.version))
  const columns = useMemo(() => columnsFor(audience.version), [audience.version])
  const close = (): void => setOpen(false)
  return (
    <QueryView query={query} skeleton={<TableSkeleton rows={4} columns={3} />} errorTitle="Failed to load the versions">
      {({ pages }) => (
        <div className="space-y-4">
          <DataTable
            label="Versions"
            columns={columns}
            rows={pages.flatMap(({ versions }) => versions)}
            rowId={idOf}
            onRowClick={(version) => {
              setShown(version)
              setOpen(true)
            }}
          />
          <LoadMore query={query} />
          <SlideOver open={open} onClose={close} title={`Version ${count(shown?.version ?? 0)}`}>
            {shown !== undefined && (
              <VersionDetail key={shown.name} audience={audience} version={shown} onRestored={close} />
            )}
          </SlideOver>
        </div>
      )}
    </QueryView>
  )
}
