/** A payment was not confirmed with the bank, and nothing has changed. */
export class NotConfirmed extends Error {
  constructor(message = 'The payment was not confirmed. Nothing was changed.') {
    super(message)
    this.name = 'NotConfirmed'
  }
}
