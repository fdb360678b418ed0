import { ErrorScreen } from '../../components/error-screen.tsx'
import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'

/**
 * Shown if a database did not respond: the reason, a button that tries again, and a link to the connection settings.
 */
export const DatabaseError = ({
  dataSource,
  error,
  onRetry,
  title,
}: {
  /** A resource name. */
  dataSource: string
  error: unknown
  onRetry: () => void
  title: string
}) => (
  <ErrorScreen
    error={error}
    onRetry={onRetry}
    title={title}
    onUnreachable={<ButtonLink to={paths.dataSource(dataSource, 'settings')}>Connection settings</ButtonLink>}
  />
)
