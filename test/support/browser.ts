/** Sends requests as a page of the service does: with its cookie and origin. */
export class Browser {
  cookie = ''

  async call(url: string, method: string, path: string, body?: unknown): Promise<BrowserAnswer> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        origin: url,
        ...(this.cookie !== '' && { cookie: this.cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const given = response.headers.get('set-cookie')
    if (given !== null) this.cookie = given.split(';')[0] ?? ''
    const answer: unknown = await response.json()
    return { status: response.status, body: answer }
  }

  signIn(url: string, email: string, password: string): Promise<BrowserAnswer> {
    return this.call(url, 'POST', '/session', { email, password })
  }
}

export interface BrowserAnswer {
  readonly status: number
  readonly body: unknown
}
