/** An email address that breaks before its @ instead of inside of a word. */
export const EmailAddress = ({ email }: { email: string }) => {
  const at = email.lastIndexOf('@')
  return (
    <span className="wrap-anywhere">
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </span>
  )
}
