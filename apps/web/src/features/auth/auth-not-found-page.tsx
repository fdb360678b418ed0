import { paths } from '../../lib/paths.ts'
import { PageNotFound } from '../../ui/error-screen.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { AuthFrame } from './auth-frame.tsx'

/** For an address below /auth that names no page. */
export const AuthNotFoundPage = () => {
  useDocumentTitle('Page not found')
  return (
    <AuthFrame>
      <PageNotFound home={paths.root()} />
    </AuthFrame>
  )
}
