import { paths } from '../../lib/paths.ts'
import { EntryFrame } from '../../ui/entry-frame.tsx'
import { PageNotFound } from '../../ui/error-screen.tsx'

/** For an address below /auth that names no page. */
export const AuthNotFoundPage = () => (
  <EntryFrame>
    <PageNotFound home={paths.root()} />
  </EntryFrame>
)
