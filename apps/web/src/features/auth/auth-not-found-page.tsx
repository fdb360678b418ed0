import { PageNotFound } from '../../components/error-screen.tsx'
import { entryPaths } from '../../lib/entry-paths.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'

/** For an address below /auth that names no page. */
export const AuthNotFoundPage = () => (
  <EntryFrame>
    <PageNotFound home={entryPaths.root()} />
  </EntryFrame>
)
