import {
	type ICredentialDataDecryptedObject,
	type ICredentialType,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type Workflow,
} from 'n8n-workflow';

/** Gives back what n8n uses to open and apply credentials, over types and stored data by id. */
export function credentialsHelperOf(
	types: ICredentialType[],
	stored: Record<string, ICredentialDataDecryptedObject>,
): object {
	const typeOf = (name: string) => types.find((type) => type.name === name) as ICredentialType;
	return {
		getParentTypes: () => [],
		isCredentialUsableByNode: () => true,
		preAuthentication: async () => undefined,
		getDecrypted: async (_: unknown, { id }: INodeCredentialsDetails) => {
			if (id === null || !(id in stored)) throw new Error(`No credential with the id ${id}`);
			return { ...stored[id] };
		},
		async authenticate(
			data: ICredentialDataDecryptedObject,
			typeName: string,
			request: IHttpRequestOptions,
			workflow: Workflow,
			node: INode,
		): Promise<IHttpRequestOptions> {
			const { authenticate } = typeOf(typeName);
			if (typeof authenticate === 'function') return await authenticate(data, request);
			const headers = authenticate?.properties.headers ?? {};
			const resolved = Object.entries(headers).map(([header, value]) => [
				header,
				resolve(workflow, node, value as string, data),
			]);
			return { ...request, headers: { ...request.headers, ...Object.fromEntries(resolved) } };
		},
	};
}

/** Gives back an expression of a credential type with the data of a credential in it, as n8n does. */
export function resolve(
	workflow: Workflow,
	node: INode,
	value: string,
	data: ICredentialDataDecryptedObject,
): string {
	const keys = { $credentials: data as never };
	return workflow.expression.getSimpleParameterValue(node, value, 'internal', keys) as string;
}
