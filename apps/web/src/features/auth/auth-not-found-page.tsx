import { PageNotFound } from '../../components/error-screen.tsx'
import { entryPaths } from '../../lib/entry-paths.ts'
import { EntryFrame } from '../../ui/page/entry-frame.tsx'

/** Shown for a URL below /auth without a page. */
export const AuthNotFoundPage = () => (
  <EntryFrame>
    <PageNotFound home={entryPaths.root()} />
  </EntryFrame>
)
