import { paths } from '../../lib/paths.ts'
import { EntryFrame } from '../../ui/entry-frame.tsx'
import { PageNotFound } from '../../ui/error-screen.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'

/** For an address below /auth that names no page. */
export const AuthNotFoundPage = () => {
  useDocumentTitle('Page not found')
  return (
    <EntryFrame>
      <PageNotFound home={paths.root()} />
    </EntryFrame>
  )
}
