import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Audience, type AudienceVersion, methods } from '@tributary/contract'
import { History } from 'lucide-react'
import { useMemo, useState } from 'react'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { failureText } from '../../lib/api/errors.ts'
import { audienceIds } from '../../lib/format/names.ts'
import { count } from '../../lib/format/text.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { audienceVersionQuery } from '../../lib/queries/audience-queries.ts'
import { pagesQuery, refresh } from '../../lib/queries/query.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/lists/data-table.tsx'
import { LoadMore } from '../../ui/lists/load-more.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { SlideOver } from '../../ui/overlays/slide-over.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { CardSkeleton, TableSkeleton } from '../../ui/page/skeleton.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { listChangeText } from './audience-words.ts'
import { Sentence } from './builder/estimate-panel.tsx'

/** The versions of an audience, newest first, by pages of 50; another one is made with each change. */
const audienceVersionsQuery = (audience: string, version: number) =>
  pagesQuery(
    methods.audiences.listVersions,
    { params: audienceIds(audience), query: { page_size: 50 } },
    { clocked: { of: version, at: () => ({}) } },
  )

/** Restores an earlier version of an audience. */
const useRestoreVersion = ({ name, version }: Pick<Audience, 'name' | 'version'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (restored: number) =>
      call(methods.audiences.restoreVersion, {
        params: { ...audienceIds(name), version: String(restored) },
        body: { current_version: version },
      }),
    onSuccess: () => {
      track('Audience Updated', { audience: name })
      notify('success', 'Version Restored')
    },
    onSettled: () => {
      const { workspace } = audienceIds(name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}

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
