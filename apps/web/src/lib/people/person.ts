/** What somebody is called: first and last name, or the address while there is none. */
export const personName = (person: { first_name: string; last_name: string; email: string }): string => {
  const name = `${person.first_name} ${person.last_name}`.trim()
  return name === '' ? person.email : name
}
