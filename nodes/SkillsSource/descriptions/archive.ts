import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

const onlyArchive: IDisplayOptions = { show: { backend: ['archive'] } };
const onlyBinary: IDisplayOptions = { show: { backend: ['archive'], archiveFrom: ['binary'] } };
const onlyUrl: IDisplayOptions = { show: { backend: ['archive'], archiveFrom: ['url'] } };

/** The parameters of "Archive". */
export const archive: INodeProperties[] = [
	{
		displayName: 'Archive From',
		name: 'archiveFrom',
		type: 'options',
		options: [
			{
				name: 'Binary Data',
				value: 'binary',
				description: 'A file that came with the item, or that another node gave',
			},
			{
				name: 'Web Address',
				value: 'url',
				description: 'A file on a server, such as a release asset',
			},
		],
		default: 'binary',
		displayOptions: onlyArchive,
		description: 'Where the archive (.skill, .zip or .tar.gz) comes from',
	},
	{
		displayName: 'Input Binary Field',
		name: 'archiveField',
		type: 'string',
		default: 'data',
		required: true,
		displayOptions: onlyBinary,
		hint: 'The name of the field, or an expression: {{ $("Read File").item.binary.data }}',
		description:
			'The binary field of the item that holds the archive; several are parted by commas, and the later one wins when two hold a skill of the same name. An expression can take the file from any node.',
	},
	{
		displayName: 'Archive URL',
		name: 'archiveUrl',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. https://example.com/skills.zip',
		displayOptions: onlyUrl,
		description: 'The web address of a .skill, .zip or .tar.gz file',
	},
];
