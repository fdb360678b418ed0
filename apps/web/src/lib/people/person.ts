/** Returns the display name of a person: first and last name or, if there is none, the email address. */
export const personName = (person: { first_name: string; last_name: string; email: string }): string => {
  const name = `${person.first_name} ${person.last_name}`.trim()
  return name === '' ? person.email : name
}
