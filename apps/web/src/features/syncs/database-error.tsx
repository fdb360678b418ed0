import { ErrorScreen } from '../../components/error-screen.tsx'
import { paths } from '../../lib/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'

/**
 * Shown in place of a database's answer: the reason of the failure, a retry and a link to the settings of the
 * connection.
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
