import { Link, type LinkProps } from 'react-router'
import { cn } from '../../ui/cn.ts'

/** A link within a line of text. */
export const AuthLink = ({ className, ...rest }: LinkProps) => (
  <Link
    className={cn('rounded-sm font-medium text-accent-ink underline-offset-3 hover:underline', className)}
    {...rest}
  />
)
