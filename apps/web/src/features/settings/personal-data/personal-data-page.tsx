import { useQuery } from '@tanstack/react-query'
import type { PersonDataPlaces } from '@tributary/contract'
import { LeaveGuard } from '../../../components/leave-guard.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { ReadOnlyNote } from '../../../components/settings/read-only-note.tsx'
import { personDataPlacesQuery } from '../../../lib/queries/person-data-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'
import { usePlacesDraft } from './places-draft.ts'
import { PlacesEditor } from './places-editor.tsx'

const Content = ({ server }: { server: PersonDataPlaces }) => {
  const draft = usePlacesDraft(server)
  return (
    <>
      <PlacesEditor draft={draft} />
      <LeaveGuard dirty={draft.dirty}>You will lose: {draft.words}.</LeaveGuard>
    </>
  )
}

/** Where events and profiles have the data of people: the paths of each kind that presets and signals read. */
export const PersonalDataPage = () => {
  const workspace = useWorkspace().name
  const query = useQuery(personDataPlacesQuery(workspace))
  return (
    <>
      <PageHeader
        title="Personal data"
        description="Where your events have the data of people. Presets, signals, and variables of mappings read the paths in order, and use the first value."
      />
      <div className="max-w-3xl space-y-5">
        <ReadOnlyNote />
        <QueryView query={query} skeleton={<CardSkeleton lines={4} />} errorTitle="Failed to load the paths">
          {(server) => <Content server={server} />}
        </QueryView>
      </div>
    </>
  )
}
